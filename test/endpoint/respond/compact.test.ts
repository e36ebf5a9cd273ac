import { describe, expect, test } from 'vitest'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import { promptMessages } from '../../../src/endpoint/prompt/index.js'
import { compact } from '../../../src/endpoint/respond/index.js'
import { createNonce, createSeal, unsealInput } from '../../../src/endpoint/seal/index.js'
import { tokenStream } from '../../../src/engines/contract/token-stream.js'
import { RequestError } from '../../../src/shared/request-error.js'
import { answer, call, scriptedEngine, think } from '../../../src/testing/index.js'
import { run } from './scripted.js'

const tokenTable = await loadTokenTable()
const seal = createSeal([{ id: 'k1', key: new Uint8Array(32).fill(7) }])
const ofAlice = seal.forResponse({ caller: 'alice', nonce: createNonce() })
const { sealCompaction } = ofAlice
const DATE = '2026-01-31'

const CONVERSATION: ResponseRequest = {
  instructions: 'Be brief.',
  tools: [{ type: 'function', name: 'f' }],
  input: [
    { role: 'user', content: 'My cat is called Miez.' },
    { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: 'noted' },
  ],
}
const TRIGGERED = { ...CONVERSATION, input: [...(CONVERSATION.input as object[]), { type: 'compaction_trigger' }] }

const summarizing = () => scriptedEngine([[think('What matters?'), answer('The cat is called Miez.')]], { tokenTable })

describe('compact', () => {
  test('compact gives one sealed item, which a later request sends instead of the conversation', async () => {
    const engine = summarizing()
    const { item, usage } = await compact(CONVERSATION, {
      engine,
      tokenTable,
      sealCompaction,
      itemId: 'cmp_1',
      date: DATE,
    })
    expect(item).toMatchObject({ type: 'compaction', id: 'cmp_1' })
    expect(JSON.stringify(item)).not.toContain('called Miez')
    expect(usage).toMatchObject({ inputTokens: engine.calls[0]?.tokens.length })

    const input = [item, { role: 'user', content: 'What is my cat called?' }]
    const { history } = unsealInput(input, { seal, caller: 'alice' })
    const said = promptMessages({ input }, { date: DATE, history }).map(({ content }) => content)
    expect(said[1]).toContain('The cat is called Miez.')
    expect(() => unsealInput(input, { seal, caller: 'mallory' })).toThrow(RequestError)
  })

  test('compact shows the model the conversation, teaches it no tools, and asks for the summary last', async () => {
    const engine = summarizing()
    await compact(CONVERSATION, { engine, tokenTable, sealCompaction, itemId: 'cmp_1', date: DATE })
    const messages = engine.calls[0]?.messages ?? []
    expect(messages.map(({ role }) => role)).toEqual(['system', 'developer', 'user', 'assistant', 'tool', 'user'])
    expect(messages[1]?.content).not.toContain('# Tools')
    expect(messages.at(-1)?.content).toMatch(/^Summarize/)
  })

  test.each([
    ['writes nothing', [think('Hm.')]],
    ['calls a tool instead', call('functions.f', {})],
  ])('compact fails if the model %s', async (_what, turn) => {
    const engine = scriptedEngine([turn], { tokenTable })
    const options = { engine, tokenTable, sealCompaction, itemId: 'cmp_1', date: DATE }
    await expect(compact(CONVERSATION, options)).rejects.toThrow('no summary')
  })
})

describe('a request that ends in compaction_trigger', () => {
  test('a request that ends in compaction_trigger is answered with one compaction item', async () => {
    const { output, events, response } = await run(TRIGGERED, { engine: summarizing(), sealCompaction })
    expect(output).toEqual([
      { type: 'compaction', id: expect.stringMatching(/^cmp_/), encrypted_content: expect.any(String) },
    ])
    const [item] = output as unknown as [{ id: string; encrypted_content: string }]
    expect(seal.unseal(item.encrypted_content, { caller: 'alice', kind: 'compaction', itemId: item.id })).toMatchObject(
      {
        text: 'The cat is called Miez.',
      },
    )
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.output_item.done',
      'response.completed',
    ])
    expect(response.usage?.output_tokens).toBeGreaterThan(5)
  })

  test('a request that ends in compaction_trigger is refused by a host that cannot seal', async () => {
    const running = run(TRIGGERED, { engine: summarizing() })
    await expect(running).rejects.toMatchObject({ param: 'input[3].type', code: 'unsupported_value' })
  })

  test('the response to a compaction_trigger continues from any entry', async () => {
    const whole = await run(TRIGGERED, { engine: summarizing(), sealCompaction })
    for (const [at, shown] of whole.before.entries()) {
      const entries = whole.entries.slice(0, at)
      const rest = await run(TRIGGERED, { engine: summarizing(), sealCompaction, entries })
      expect(rest.events).toEqual(whole.events.slice(shown))
    }
  })

  test('the response to a compaction_trigger fails if the engine does, without a word of the conversation', async () => {
    const generate = () =>
      tokenStream(async function* () {
        yield 200005
        throw new Error('Miez')
      })
    const engine = { ...summarizing(), generate }
    const { response, events } = await run(TRIGGERED, { engine, sealCompaction, onError() {} })
    expect(response.status).toBe('failed')
    expect(JSON.stringify(events)).not.toContain('Miez')
  })
})
