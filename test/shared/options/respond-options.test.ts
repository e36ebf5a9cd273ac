import { expect, test } from 'vitest'
import { compact, countInputTokens, respond } from '../../../src/endpoint/respond/index.js'
import { loadTokenTable } from '../../../src/index.js'
import { scriptedEngine } from '../../../src/testing/index.js'

const tokenTable = await loadTokenTable()
const engine = scriptedEngine([])
const request = { model: 'gpt-oss', input: 'Hi' }

const WRONG: readonly (readonly [options: object, message: string])[] = [
  [{ engine, tokenTable, onDiagnostics() {} }, 'there is no option "onDiagnostics", did you mean onDiagnostic?'],
  [{ engine, tokenTable, limits: { turn: 5 } }, 'limits: there is no option "limits.turn", did you mean limits.turns?'],
  [{ engine, tokenTable, tools: {} }, 'tools: expected an array of tools, got an object'],
  [{ engine, tokenTable, tools: [{}] }, 'tools[0]: expected a tool, with the method answers'],
  [{ engine, tokenTable, policy: 'agent' }, 'policy: expected one of openai, agents'],
  [{ engine, tokenTable, reasoning: 'full' }, "reasoning: expected one of 'raw', 'summary'"],
  [{ engine, tokenTable, signal: 5 }, 'signal: expected an AbortSignal, got 5'],
  [{ engine, tokenTable, history: 'x' }, 'history: expected an array'],
  [{ engine: { generate() {} }, tokenTable }, 'engine: expected a TokenEngine, with the method health'],
  [{ engine }, 'tokenTable: expected await loadTokenTable(), got undefined'],
]

test.each(WRONG)('respond refuses wrong options from the call itself: %#', (options, message) => {
  expect(() => respond(request, options as never)).toThrow(message)
})

test.each(WRONG)('countInputTokens refuses the same: %#', async (options, message) => {
  await expect(countInputTokens(request, options as never)).rejects.toThrow(message)
})

test('compact refuses an option that it does not have', async () => {
  const options = { engine, tokenTable, date: '2026-01-01', sealCompaction: () => '', itemId: 'cmp_1' }
  await expect(compact(request, { ...options, tools: [] } as never)).rejects.toThrow(
    'compact: there is no option "tools"',
  )
  await expect(compact(request, { ...options, itemId: '' })).rejects.toThrow('itemId: expected a non-empty string')
})
