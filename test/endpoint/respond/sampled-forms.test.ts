import { describe, expect, test } from 'vitest'
import type { OutputItem } from '../../../src/core/responses/items.js'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import { renderPrompt } from '../../../src/endpoint/prompt/render-prompt.js'
import { translateEntries } from '../../../src/endpoint/respond/index.js'
import { createSeal, unsealInput } from '../../../src/endpoint/seal/index.js'
import { type TokenEngine, tokenStream } from '../../../src/engines/contract/index.js'
import { checkEvents } from '../../../src/judge/conformance/index.js'
import { encodeText, m } from '../../support/tokens.js'
import { GITHUB, optionsOf, type Run, type RunOptions, run, SEARCH } from './scripted.js'

const tokenTable = await loadTokenTable()
const DATE = '2026-01-01'
const seal = createSeal([{ id: 'k1', key: new Uint8Array(32).fill(1) }])
const ofAlice = seal.forResponse({ caller: 'alice', nonce: 'AAECAwQFBgcICQoLDA0ODw' })
const sealing = { sealReasoning: ofAlice.seal, sealForm: ofAlice.sealForm }
const REQUEST = {
  input: [{ role: 'user', content: 'Go.' }],
  tools: [GITHUB, { type: 'function', name: 'look' }],
  include: ['reasoning.encrypted_content'],
  store: false,
} as unknown as ResponseRequest & { readonly input: object[] }

const THINK = '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant'
const LOOK = '<|channel|>commentary to=functions.look <|constrain|>json<|message|>{}<|call|>'
const ODD_LOOK = ' to=functions.look<|channel|>commentary json<|message|>{}<|call|>'
const ODD_SEARCH = ' to=github.search<|channel|>commentary json<|message|>{"q":1}<|call|>'
const PARALLEL =
  '<|channel|>commentary to=functions.look <|constrain|>json<|message|>{"a":1}<|end|><|start|>assistant' +
  '<|channel|>commentary to=functions.look <|constrain|>json<|message|>{"a":2}<|call|>'
const ANSWER = '<|channel|>final<|message|>Hi<|return|>'

const sealed = (options: RunOptions, request: ResponseRequest = REQUEST): Promise<Run> =>
  run(request, { ...sealing, ...options })
const typesOf = ({ output }: Run): string[] => output.map(({ type }) => type)
type Sealed = OutputItem & { encrypted_content: string }
const unsealed = (items: readonly OutputItem[]) => unsealInput(items as never, { seal, caller: 'alice' }).history

/** The prompt of the next request of a client that sends everything back, without its last message. */
function nextPrompt({ output }: Run): number[] {
  const answers = output.flatMap((item) =>
    item.type === 'function_call' ? [{ type: 'function_call_output', call_id: item.call_id, output: 'wet' }] : [],
  )
  const input = [...REQUEST.input, ...output, ...answers]
  const { tokens, messages } = renderPrompt(
    { ...REQUEST, input },
    { tokenTable, date: DATE, history: unsealed(output) },
  )
  const last = messages.find(({ item = 0 }) => item > output.length)
  return [...tokens.slice(0, last?.start ?? messages.at(-1)?.end)]
}

const promptOf = ({ prompt }: Run): readonly number[] => prompt

describe('the seals of a response that is not stored', () => {
  test.each<[what: string, turns: string[], types: string[]]>([
    ['a call as gpt-oss mostly writes it', [THINK + LOOK], ['reasoning', 'function_call']],
    ['an answer', [ANSWER], ['message']],
    [
      'hosted calls as gpt-oss mostly writes them',
      [THINK + SEARCH, THINK + LOOK],
      ['reasoning', 'mcp_call', 'reasoning', 'function_call'],
    ],
  ])('a response with %s has no item for its form, and seals are as short as before', async (_, turns, types) => {
    const response = await sealed({ turns })
    expect(typesOf(response)).toEqual(types)
    for (const item of response.output.filter(({ type }) => type === 'reasoning') as Sealed[]) {
      expect(item.encrypted_content).toBe(ofAlice.seal('Hm.', item.id))
    }
  })

  test('a call that is written in another order is told of by an item that ends the output', async () => {
    const response = await sealed({ turns: [THINK + ODD_LOOK] })
    expect(typesOf(response)).toEqual(['reasoning', 'function_call', 'reasoning'])
    const last = response.output.at(-1) as Sealed
    expect(last).toEqual({
      type: 'reasoning',
      id: expect.stringMatching(/^rs_/),
      status: 'completed',
      summary: [],
      content: [],
      encrypted_content: expect.stringMatching(/^hr1\.rs\./),
    })
    expect(last.encrypted_content.length).toBeLessThan(220)
    expect(
      checkEvents(response.events as never, { profile: 'openai' }).filter(({ severity }) => severity === 'error'),
    ).toEqual([])
    expect(nextPrompt(response)).toEqual([...promptOf(response), ...response.transcript])
  })

  test('calls that are told of by the reasoning after them need no item of their own', async () => {
    const response = await sealed({ turns: [THINK + ODD_SEARCH, THINK + LOOK] })
    expect(typesOf(response)).toEqual(['reasoning', 'mcp_call', 'reasoning', 'function_call'])
    expect(unsealed(response.output).map(({ form }) => form !== undefined)).toEqual([false, true])
    expect(nextPrompt(response)).toEqual([...promptOf(response), ...response.transcript])
  })

  test('the end of a call before another one is as the model wrote it', async () => {
    const response = await sealed({ turns: [THINK + PARALLEL] })
    expect(nextPrompt(response)).toEqual([...promptOf(response), ...response.transcript])
  })

  test('a response that is stored, or without seals, tells nothing of its form', async () => {
    const turns = [THINK + ODD_LOOK]
    const stored = await sealed({ turns }, { ...REQUEST, store: true })
    const byOption = await sealed({ turns, store: true }, { ...REQUEST, store: undefined } as never)
    const unasked = await sealed({ turns }, { ...REQUEST, include: [] } as never)
    for (const response of [stored, byOption, unasked]) {
      expect(typesOf(response)).toEqual(['reasoning', 'function_call'])
      expect(unsealed(response.output).every(({ form }) => form === undefined)).toBe(true)
    }
  })

  test('a host without sealForm has no item for a form, and its sealReasoning is given those of reasoning', async () => {
    const given: unknown[] = []
    const sealReasoning = (text: string, id: string, form?: string): string => {
      given.push(form)
      return ofAlice.seal(text, id)
    }
    const response = await run(REQUEST, { turns: [THINK + ODD_SEARCH, THINK + ODD_LOOK], sealReasoning })
    expect(typesOf(response)).toEqual(['reasoning', 'mcp_call', 'reasoning', 'function_call'])
    expect(given).toEqual([undefined, expect.stringContaining('[0,')])
  })

  test('a form holds no more ids than its bound, and the rest is rendered from its item', async () => {
    // Each letter by itself, which no tokenizer writes.
    const letters = Array.from({ length: 33_000 }, (_, at) => encodeText('ab'[at % 2] as string)[0] as number)
    const header = [m.channel, ...encodeText('final'), m.message]
    const long = async (count: number): Promise<number> => {
      const tokens = [...header, ...letters.slice(0, count), m.return]
      const generate: TokenEngine['generate'] = () =>
        tokenStream(async function* () {
          yield tokens
          return { reason: 'stop' as const }
        })
      const { output } = await sealed({ engine: { generate, health: async () => {} } })
      return output.length
    }
    expect([await long(30_000), await long(33_000)]).toEqual([2, 1])
  })
})

describe('a response that is continued from its entries', () => {
  const turns = [THINK + ODD_SEARCH, THINK + ODD_LOOK]

  test('a response that is continued from any entry seals the same forms', async () => {
    const whole = await sealed({ turns })
    expect(typesOf(whole).at(-1)).toBe('reasoning')
    for (const [at, shown] of whole.before.entries()) {
      const rest = await sealed({ turns, entries: JSON.parse(JSON.stringify(whole.entries.slice(0, at))) })
      expect(rest.events, `from entry ${at}`).toEqual(whole.events.slice(shown))
      expect(rest.transcript).toEqual(whole.transcript)
    }
  })

  test('a response whose entries are translated again has the same seals', async () => {
    const whole = await sealed({ turns })
    const again = translateEntries({ ...optionsOf({ turns }), ...sealing })
    const events = whole.entries.flatMap((entry) => again.apply(entry))
    expect(events).toEqual(whole.events)
  })
})
