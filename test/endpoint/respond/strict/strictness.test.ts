import { expect, test } from 'vitest'
import { resolvePolicy } from '../../../../src/core/recipients/policy.js'
import { resolveTools } from '../../../../src/core/recipients/request-tools.js'
import { FREE_CHOICE } from '../../../../src/core/recipients/tool-choice.js'
import type { ResponseRequest } from '../../../../src/core/responses/request.js'
import { loadTokenTable } from '../../../../src/core/tokens/load-token-table.js'
import type { OpenEntry } from '../../../../src/endpoint/journal/entry.js'
import { Strictness } from '../../../../src/endpoint/respond/strict/strictness.js'
import { encodeHarmony, m } from '../../../support/tokens.js'

test('the terminator of an open body is known without the grammar of its rest', async () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
  const request: ResponseRequest = { input: 'Go.', text: { format: { type: 'json_schema', name: 'a', schema } } }
  let asked = 0
  const capabilities: OpenEntry['capabilities'] = {
    get constraints() {
      asked += 1
      return ['json_schema', 'gbnf'] as const
    },
  }
  const open = { request, capabilities, constrained: ['text.format.schema'] } as unknown as OpenEntry
  const tools = resolveTools({ choice: FREE_CHOICE, text: request.text }, [], resolvePolicy(undefined))
  const strict = new Strictness(open, tools, await loadTokenTable())
  const body = strict.openBody(encodeHarmony('<|channel|>final <|constrain|>json<|message|>{"n":4'))
  expect(body?.terminator).toBe(m.return)
  expect(asked).toBe(0)
  expect(body?.constraint).toMatchObject({ syntax: 'gbnf' })
  expect(asked).toBeGreaterThan(0)
})

test('the text of an open body is read in slices, and not again for its constraint', async () => {
  const schema = { type: 'array', items: { type: 'integer' } }
  const request: ResponseRequest = { input: 'Go.', text: { format: { type: 'json_schema', name: 'a', schema } } }
  let asked = 0
  const capabilities: OpenEntry['capabilities'] = {
    get constraints() {
      asked += 1
      return ['json_schema', 'gbnf'] as const
    },
  }
  const open = { request, capabilities, constrained: ['text.format.schema'] } as unknown as OpenEntry
  const tools = resolveTools({ choice: FREE_CHOICE, text: request.text }, [], resolvePolicy(undefined))
  const tokenTable = await loadTokenTable()
  const header = '<|channel|>final <|constrain|>json<|message|>'
  const turn = encodeHarmony(`${header}[${'7,'.repeat(20_000)}`)
  const expected = new Strictness(open, tools, tokenTable).openBody(turn)?.constraint
  const strict = new Strictness(open, tools, tokenTable)
  expect([...strict.prepare(turn)].length).toBeGreaterThan(15)
  asked = 0
  expect(strict.openBody(turn)?.constraint).toEqual(expected)
  expect(asked).toBe(0)
  // Another body is read by itself.
  expect(strict.openBody(encodeHarmony(`${header}[7`))?.constraint).not.toEqual(expected)
  expect(asked).toBe(1)
})
