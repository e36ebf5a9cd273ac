import { expect, test } from 'vitest'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import { countInputTokens, respond } from '../../../src/endpoint/respond/index.js'
import { answer, scriptedEngine } from '../../../src/testing/index.js'

const tokenTable = await loadTokenTable()
const f = { type: 'function', name: 'f', parameters: { type: 'object' } } as const

/** A response of an engine that records whether its capabilities are requested. */
async function asked(request: ResponseRequest, isCounted = false): Promise<(boolean | undefined)[]> {
  const asked: (boolean | undefined)[] = []
  const scripted = scriptedEngine([answer('{}'), answer('{}'), answer('{}')], { tokenTable })
  const engine: typeof scripted = Object.assign(Object.create(scripted), scripted, {
    capabilities: (options: { constraints?: boolean } = {}) => {
      asked.push(options.constraints)
      return scripted.capabilities?.()
    },
  })
  if (isCounted) await countInputTokens(request, { engine, tokenTable })
  else for await (const _ of respond(request, { engine, tokenTable }));
  return asked
}

test('a plain request does not make the engine find out its support for constraints', async () => {
  expect(await asked({ input: 'Hi' })).toEqual([false])
  expect(await asked({ input: 'Hi', tools: [{ ...f, strict: false }] })).toEqual([false])
})

test.each<[string, Partial<ResponseRequest>]>([
  ['a strict function', { tools: [{ ...f, strict: true }] }],
  ['a function that does not say whether it is strict', { tools: [f] }],
  ['a format', { text: { format: { type: 'json_object' } } }],
  ['a demanded call', { tools: [{ ...f, strict: false }], tool_choice: 'required', max_tool_calls: 1 }],
])('%s makes the engine find out its support for constraints', async (_, request) => {
  expect(await asked({ input: 'Hi', ...request })).toEqual([true])
})

test('a count of input tokens does not make the engine find out its support for constraints', async () => {
  for (const each of await asked({ input: 'Hi', tools: [{ ...f, strict: true }] }, true)) expect(each).toBe(false)
})
