import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import type { ResponseObject } from '../../../src/core/responses/response.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import { collectResponse } from '../../../src/core/translate/collect-response.js'
import type { ChunkEntry, Entry } from '../../../src/endpoint/journal/entry.js'
import { respond } from '../../../src/endpoint/respond/index.js'
import type { TokenEngine } from '../../../src/engines/contract/engine.js'
import { llamaCppSource } from '../../../src/engines/sources/llama-cpp.js'
import { createLlamaServerEngine as createCheckedLlamaServerEngine } from '../../../src/engines/sources/llama-server.js'
import { FakeSequence, type Writes } from '../../support/fake-llama.js'
import { fakeLlamaServer, LOGPROB } from '../../support/fake-llama-server.js'
import { runs } from '../../support/runs.js'
import { encodeHarmony, encodeText, m } from '../../support/tokens.js'

/** The check of the model has separate tests: here each request is one of the test. */
const createLlamaServerEngine: typeof createCheckedLlamaServerEngine = (options) =>
  createCheckedLlamaServerEngine(Object.assign({ checkModel: false }, options))

const tokenTable = await loadTokenTable()
const [HALF = 0] = encodeText('🦩')
const CUT = Array.from({ length: tokenTable.size }, (_, id) => id).filter((id) => tokenTable.text(id) === undefined)
const toText = (ids: readonly number[]): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(
    Uint8Array.from(ids.flatMap((id) => [...(id < tokenTable.size ? tokenTable.bytes(id) : encoded(`<${id}>`))])),
  )
const encoded = (text: string): Uint8Array => new TextEncoder().encode(text)
/** Tokens that are U+FFFD and nothing else, so that the server's text is theirs wherever it breaks off. */
const BARE = CUT.filter((id) => toText([id]) === '\ufffd')
/** Tokens that end in half a character behind a text. */
const SPACED = CUT.filter((id) => /^[^\ufffd]+\ufffd$/.test(toText([id])))

/** A model that writes the turn, even if ids were substituted: it looks only at its position. */
function modelOf(turn: readonly number[]): Writes {
  let start: number | undefined
  return (tokens) => {
    start ??= tokens.length
    return turn[tokens.length - start] ?? m.return
  }
}

/** Neither fake reads grammars: their models keep to them. */
function inProcess(turn: readonly number[]): TokenEngine {
  const sequence = new FakeSequence(modelOf(turn), 8192)
  return {
    generate: (prompt, { constraint: _, ...options } = {}) => llamaCppSource(sequence, prompt, options),
    health: async () => {},
    capabilities: async () => ({ constraints: ['json_schema', 'gbnf'], contextLength: 8192 }),
  }
}

function behindServer(turn: readonly number[]): TokenEngine {
  return createLlamaServerEngine({ url: 'http://a.invalid', fetch: fakeLlamaServer(modelOf(turn), tokenTable) })
}

interface Said {
  readonly response: ResponseObject
  readonly entries: readonly Entry[]
  readonly transcript: readonly number[]
}

async function say(engine: TokenEngine, request: ResponseRequest, before: readonly Entry[] = []): Promise<Said> {
  const entries: Entry[] = []
  const batches = respond(request, {
    engine,
    tokenTable,
    responseId: 'resp_1',
    clock: () => 1,
    ...(before.length > 0 && { entries: before }),
    append: async (added) => void entries.push(...added),
    onDiagnostic: () => {},
  })
  let transcript: readonly number[] = []
  async function* events() {
    transcript = yield* batches
    return transcript
  }
  const response = await collectResponse(events())
  return { response, entries, transcript }
}

/** The client's output, without cached tokens, which the fake server does not count. */
function shown({ status, output, usage, error, incomplete_details }: ResponseObject) {
  const { input_tokens, output_tokens, output_tokens_details: details } = usage ?? {}
  return { status, output, error, incomplete_details, input_tokens, output_tokens, details }
}

const TEXT = {
  format: {
    type: 'json_schema' as const,
    name: 'list',
    schema: {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    },
    strict: true,
  },
}

describe('half a character', () => {
  test('half a character in an answer is U+FFFD behind llama-server, and the answer continues', async () => {
    const turn = [
      ...encodeHarmony('<|channel|>final<|message|>Look'),
      HALF,
      ...encodeHarmony(' here is text.<|return|>'),
    ]
    const { response } = await say(behindServer(turn), { input: 'Hi' })
    expect(response).toMatchObject({ status: 'completed', usage: { output_tokens: turn.length } })
    expect(response.output).toMatchObject([{ content: [{ text: 'Look\ufffd here is text.' }] }])
    expect(shown(response)).toEqual(shown((await say(inProcess(turn), { input: 'Hi' })).response))
  })

  test.each([
    ['in front of the end', '<|return|>', 'completed'],
    ['at the end of a message', '<|end|><|start|>assistant<|channel|>final<|message|>Done.<|return|>', 'completed'],
  ])('half a character is the same from a server and in this process: %s', async (_, rest, status) => {
    const turn = [...encodeHarmony('<|channel|>commentary<|message|>Look'), HALF, ...encodeHarmony(rest)]
    const [server, own] = [await say(behindServer(turn), { input: 'Hi' }), await say(inProcess(turn), { input: 'Hi' })]
    expect(server.response.status).toBe(status)
    expect(shown(server.response)).toEqual(shown(own.response))
  })

  const broken = fc.oneof(fc.constantFrom(...CUT), fc.constantFrom(...BARE))
  const word = fc
    .constantFrom(' word', '<', '<|', '<|message|>', '<|end|>', '🦩', 'о', '{', '\n', '<|mess')
    .map((text) => encodeText(text))
  const text = fc
    .array(fc.tuple(fc.array(broken, { maxLength: 12 }), word), { maxLength: 5 })
    .map((parts) => parts.flatMap(([tokens, rest]) => [...tokens, ...rest]))

  const turnOf = (reasoning: readonly number[], answer: readonly number[]): number[] => [
    ...encodeHarmony('<|channel|>analysis<|message|>'),
    ...reasoning,
    ...encodeHarmony('<|end|><|start|>assistant<|channel|>final<|message|>'),
    ...answer,
    // Of half a character at the very end, the server's last event has the count alone: no ids and no text.
    ...encodeHarmony('.<|return|>'),
  ]

  async function expectSame(turn: readonly number[], request: ResponseRequest): Promise<Said> {
    const server = await say(behindServer(turn), request)
    const own = await say(inProcess(turn), request)
    expect(shown(server.response)).toEqual(shown(own.response))
    expect(server.transcript).toHaveLength(own.transcript.length)
    expect(toText(server.transcript)).toBe(toText(own.transcript))
    return server
  }

  test('half characters are the same from a server and in this process, whatever the model writes', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (reasoning, answer) => {
        await expectSame(turnOf(reasoning, answer), { input: 'Hi' })
      }),
      { numRuns: runs(200) },
    )
  })

  test('half characters are the same where the answer is held, and it is still held after them', async () => {
    const body = encodeText('{"a":"Rome 🦩"}')
    await fc.assert(
      fc.asyncProperty(text, async (reasoning) => {
        const turn = [...turnOf(reasoning, body).slice(0, -2), m.return]
        const { response, entries } = await expectSame(turn, { input: 'Hi', text: TEXT })
        const messages = response.output.filter(({ type }) => type === 'message')
        expect(messages).toMatchObject([{ content: [{ text: '{"a":"Rome 🦩"}' }] }])
        expect(entries.every((entry) => entry.type !== 'chunk' || isIds(entry))).toBe(true)
      }),
      // The fewest tokens that complete the last character are too few to be cut into as many.
      { numRuns: runs(100), examples: [[[174, 94, 176681, 2195]]] },
    )
  })

  test('half characters are the same where a limit cuts the answer anywhere', async () => {
    // The server's last event lacks the text of several halves at the limit, and the text before them.
    const bare = fc
      .array(fc.tuple(fc.constantFrom(...encodeText('one two < three')), fc.constantFrom(...BARE)), { maxLength: 5 })
      .map((pairs) => pairs.flat())
    await fc.assert(
      fc.asyncProperty(bare, bare, fc.nat(24), async (reasoning, answer, cut) => {
        await expectSame(turnOf(reasoning, answer), { input: 'Hi', max_output_tokens: 1 + cut })
      }),
      { numRuns: runs(200) },
    )
  })

  const LONG = Array.from({ length: 90 }, (_, at) => SPACED[at % SPACED.length] as number)

  test.each([
    ['in an answer', [...encodeHarmony('<|channel|>final<|message|>'), ...LONG, ...encodeHarmony('.<|return|>')]],
    [
      'in reasoning, in front of an answer that is held',
      [
        ...encodeHarmony('<|channel|>analysis<|message|>'),
        ...LONG,
        ...encodeHarmony('.<|end|><|start|>assistant<|channel|>final<|message|>{"a":"Rome"}<|return|>'),
      ],
    ],
  ])('half characters in a row count as the server counts them, however many they are: %s', async (where, turn) => {
    const request = { input: 'Hi', ...(where === 'in an answer' ? {} : { text: TEXT }) }
    const { response, entries } = await say(behindServer(turn), request)
    expect(response.usage?.output_tokens).toBe(turn.length)
    for (let kept = 1; kept < entries.length; kept++) {
      const stopped = entries.slice(0, kept)
      if (!['stop', 'usage', 'turn'].includes(stopped.at(-1)?.type ?? '')) continue
      const said = stopped.flatMap((entry) => (entry.type === 'chunk' ? entry.tokens : []))
      const { response: again } = await say(behindServer(turn.slice(said.length)), request, stopped)
      expect(again.usage).toEqual(response.usage)
    }
  })

  test('half a character comes without log-probabilities, and the tokens around it have theirs', async () => {
    const turn = [...encodeHarmony('<|channel|>final<|message|>Look'), HALF, ...encodeHarmony(' here.<|return|>')]
    const { response } = await say(behindServer(turn), {
      input: 'Hi',
      include: ['message.output_text.logprobs'],
    })
    expect(response.status).toBe('completed')
    const [message] = response.output
    expect(message).toMatchObject({ content: [{ text: 'Look\ufffd here.' }] })
    const scored = ['Look', ' here', '.'].map((token) => ({ token, logprob: LOGPROB }))
    expect(message).toMatchObject({ content: [{ logprobs: scored }] })
  })
})

function isIds({ tokens }: ChunkEntry): boolean {
  return tokens.every((token) => typeof token === 'number')
}
