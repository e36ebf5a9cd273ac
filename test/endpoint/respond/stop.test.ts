import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { STOP_TOKENS } from '../../../src/core/harmony/stop-tokens.js'
import type { OutputItem } from '../../../src/core/responses/items.js'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import type { Entry } from '../../../src/endpoint/journal/entry.js'
import { respond } from '../../../src/endpoint/respond/index.js'
import type { TokenEngine } from '../../../src/engines/contract/engine.js'
import { EngineError } from '../../../src/engines/contract/engine-error.js'
import { tokenStream } from '../../../src/engines/contract/token-stream.js'
import { malformedTranscript, tokenSoup, wellFormedTranscript } from '../../support/arbitraries.js'
import { runs } from '../../support/runs.js'
import { encodeHarmony, encodeText, m } from '../../support/tokens.js'
import { expectSameAfterDeath, type RunOn } from './same-after-death.js'
import { ANSWER, GITHUB, heldModelOf, optionsOf, type Run, type RunOptions, run, SEARCH } from './scripted.js'

const START = [m.start, ...encodeText('assistant')]
const FINAL = encodeHarmony('<|channel|>final<|message|>')

interface Wrote {
  /** How many of its tokens were read, and whether the call was closed before its end. */
  read: number
  isClosed: boolean
}

/** A model that writes these tokens in its turn, continuing from the context, so many in each step. */
function writing(tokens: readonly number[], sizes: readonly number[] = [1], wrote?: Wrote, error?: Error): TokenEngine {
  return {
    generate(prompt, { maxTokens, signal } = {}) {
      const context = [...prompt]
      const begin = context.findIndex((_, at) => START.every((id, offset) => context[at + offset] === id))
      const said = context.slice(begin + START.length)
      const isOurs = said.every((id, at) => tokens[at] === id)
      const left = isOurs ? tokens.slice(said.length) : [m.return]
      const end = left.findIndex((id) => STOP_TOKENS.includes(id))
      const whole = end === -1 ? left : left.slice(0, end + 1)
      const given = maxTokens === undefined ? whole : whole.slice(0, maxTokens)
      return tokenStream(async function* () {
        try {
          for (let at = 0, step = 0; at < given.length; step++) {
            const some = given.slice(at, at + (sizes[step % sizes.length] as number))
            at += some.length
            if (wrote) wrote.read += some.length
            yield some
          }
          if (error !== undefined) throw error
          return { reason: given.length < whole.length ? ('max_output_tokens' as const) : ('stop' as const) }
        } finally {
          if (wrote) wrote.isClosed = true
        }
      }, signal)
    },
    health: async () => {},
  }
}

/** The same engine, which reports before its first token how much of the prompt was cached. */
function caching(engine: TokenEngine, cachedTokens: number): TokenEngine {
  return {
    ...engine,
    generate(prompt, options = {}) {
      return tokenStream(async function* () {
        options.onUsage?.({ inputTokens: prompt.length, cachedTokens })
        return yield* engine.generate(prompt, options)
      }, options.signal)
    },
  }
}

function tokensOf({ chunks }: { readonly chunks: readonly unknown[] }): number[] {
  return chunks.flat().filter((token): token is number => typeof token === 'number')
}

/** The text in front of the first of the strings. */
function upTo(text: string, stops: readonly string[]): string {
  const places = stops.map((stop) => text.indexOf(stop)).filter((at) => at !== -1)
  return places.length === 0 ? text : text.slice(0, Math.min(...places))
}

function textOf(item: OutputItem | undefined): string {
  return item?.type === 'message' ? item.content.map(({ text }) => text).join('') : ''
}

/** An answer in one final message. */
async function answered(text: string, stop: ResponseRequest['stop'], options: RunOptions = {}): Promise<Run> {
  const tokens = [...FINAL, ...encodeText(text), m.return]
  return await run({ input: 'Go.', stop }, { engine: writing(tokens), ...options })
}

/** Pieces of few letters, some of several tokens each and some a part of one, so that strings overlap and are cut. */
const PIECES = [
  'a',
  'ab',
  'Obs',
  'Observ',
  'ation',
  'Observation',
  ':',
  ' ',
  '\n',
  '🌦️',
  'é',
  '字',
  'aaaa',
  ' Obser',
] as const
const words = (least: number, most: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...PIECES), { minLength: least, maxLength: most }).map((pieces) => pieces.join(''))
const someStops = (): fc.Arbitrary<string[]> => fc.array(words(1, 3), { minLength: 1, maxLength: 4 })
const sizes = (): fc.Arbitrary<number[]> => fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 })

/** Tokens that spell a text: each of its pieces as the model would write it, or in single bytes. */
function spelled(pieces: readonly string[], isBytes: readonly boolean[]): number[] {
  return pieces.flatMap((piece, at) => {
    if (!isBytes[at]) return encodeText(piece)
    return [...new TextEncoder().encode(piece)].map(byteToken)
  })
}

const byteToken = (byte: number): number => BYTES[byte] as number
const { tokenTable } = optionsOf({})
const BYTES: readonly number[] = Array.from({ length: 256 }, (_, byte) => {
  let id = 0
  while (tokenTable.bytes(id).length !== 1 || tokenTable.bytes(id)[0] !== byte) id += 1
  return id
})

describe('an answer ends in front of a stop string', () => {
  test('the shown text is the text in front of the first stop string, in any tokens and steps', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...PIECES), fc.boolean()), { maxLength: 12 }),
        someStops(),
        sizes(),
        async (pieces, stop, steps) => {
          const text = pieces.map(([piece]) => piece).join('')
          const body = spelled(
            pieces.map(([piece]) => piece),
            pieces.map(([, isBytes]) => isBytes),
          )
          const wrote = { read: 0, isClosed: false }
          const { output, response, events } = await run(
            { input: 'Go.', stop },
            { engine: writing([...FINAL, ...body, m.return], steps, wrote) },
          )
          expect(output.map(textOf)).toEqual([upTo(text, stop)])
          expect(response.status).toBe('completed')
          // Sampled tokens count, shown or not.
          expect(response.usage?.output_tokens).toBe(wrote.read)
          const deltas = events.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : []))
          expect(deltas.join('')).toBe(upTo(text, stop))
        },
      ),
      { numRuns: runs(300) },
    )
  })

  test('of any stream, well-formed or not, a stop string cuts the first answer that has one, and nothing before it', async () => {
    const stream = fc.oneof(wellFormedTranscript().map(tokensOf), malformedTranscript().map(tokensOf), tokenSoup())
    const limits = fc.record(
      { max_output_tokens: fc.integer({ min: 1, max: 40 }), parallel_tool_calls: fc.constant(false) },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(stream, fc.infiniteStream(fc.nat()), sizes(), limits, async (tokens, draw, steps, limit) => {
        const request = { input: 'Go.', ...limit }
        const whole = await run(request, { engine: writing(tokens, steps) })
        // Parts of the answers, so that most of them stop.
        const said = whole.output.filter(isAnswer).map(textOf).join('')
        const characters = [...said]
        const stop = Array.from({ length: 2 }, () => {
          const at = (draw.next().value as number) % (characters.length + 1)
          const length = 1 + ((draw.next().value as number) % 3)
          return characters.slice(at, at + length).join('') || 'nothing'
        }).map((text) => text.replace(/\p{Surrogate}/gu, '') || 'nothing')
        const { output, response } = await run({ ...request, stop }, { engine: writing(tokens, steps) })
        const expected: unknown[] = []
        let isCut = false
        for (const item of whole.output) {
          const text = textOf(item)
          isCut = isAnswer(item) && upTo(text, stop) !== text
          expected.push(isCut ? upTo(text, stop) : brief(item))
          if (isCut) break
        }
        expect(output.map((item, at) => (isCut && at === expected.length - 1 ? textOf(item) : brief(item)))).toEqual(
          expected,
        )
        expect(response.status).toBe(isCut ? 'completed' : whole.response.status)
      }),
      { numRuns: runs(500) },
    )
  })

  test.each([
    ['a turn of the user', '<|end|><|start|>user<|message|>And you?<|return|>'],
    ['words without <|start|>', '<|end|>user<|message|>And you?<|return|>'],
    ['a message without an end before it', '<|start|>user<|message|>And you?<|return|>'],
  ])('a stop string cuts an answer without a channel that %s shows to be one', async (_, after) => {
    const tokens = [m.message, ...encodeText('It is Rome, Italy.'), ...encodeHarmony(after)]
    for (const steps of [[1], [3], [100]]) {
      const { output, response } = await run({ input: 'Go.', stop: ['me, It'] }, { engine: writing(tokens, steps) })
      expect(output.map(textOf)).toEqual(['It is Ro'])
      expect(response.status).toBe('completed')
    }
  })

  test('an answer that has all of its tokens is incomplete where the engine stops without a stop token, with stop strings and without', async () => {
    for (const stop of [undefined, ['nothing']]) {
      // A header, which is held back to its end.
      const engine = writing([m.channel, ...encodeText('comment')])
      const { response } = await run({ input: 'Go.', max_output_tokens: 2, ...(stop && { stop }) }, { engine })
      expect(response).toMatchObject({ status: 'incomplete', usage: { output_tokens: 2 } })
    }
  })

  test('a process that continues from any entry finds the same events', async () => {
    const answers = words(0, 8).map((text) => [...FINAL, ...encodeText(text), m.return])
    const stream = fc.oneof(answers, malformedTranscript().map(tokensOf))
    await fc.assert(
      fc.asyncProperty(stream, someStops(), fc.boolean(), fc.nat(), async (tokens, stop, isParallel, death) => {
        const request = { input: 'Go.', stop, parallel_tool_calls: isParallel }
        const whole = await run(request, { engine: writing(tokens) })
        for (const [at, shown] of whole.before.entries()) {
          const entries: Entry[] = JSON.parse(JSON.stringify(whole.entries.slice(0, at)))
          const rest = await run(request, { engine: writing(tokens), entries })
          expect(rest.events).toEqual(whole.events.slice(shown))
          expect(rest.response?.usage).toEqual(whole.response.usage)
          expect(rest.transcript).toEqual(whole.transcript)
        }
        const again: RunOn = (engine, options) => run(request, { ...options, engine })
        await expectSameAfterDeath(() => writing(tokens), again, death)
      }),
      { numRuns: runs(60) },
    )
  })

  test('a stop string is found whose beginning the entries have already', async () => {
    const tokens = [...FINAL, ...encodeText('Hi Obser'), ...encodeText('vation: no'), m.return]
    const { entries } = await run({ input: 'Go.' }, { engine: writing(tokens) })
    const open = entries[0] as Entry & { type: 'open' }
    const stopped = { ...open, request: { ...open.request, stop: 'Observation:' } }
    const at = entries.findIndex((entry) => entry.type === 'chunk' && entry.tokens[0] === encodeText('vation')[0])
    const { events, response } = await run(
      { input: 'Go.', stop: 'Observation:' },
      { engine: writing(tokens), entries: [stopped, ...entries.slice(1, at)] },
    )
    expect(events.filter(({ type }) => type === 'response.output_text.delta')).toEqual([])
    expect([textOf(response.output[0]), response.status]).toEqual(['Hi Obser', 'completed'])
  })

  test('the engine is closed as soon as a stop string is there', async () => {
    const wrote = { read: 0, isClosed: false }
    const text = `Thought.\nObservation: ${'and so on '.repeat(50)}`
    const engine = writing([...FINAL, ...encodeText(text), m.return], [1], wrote)
    const { output } = await answered(text, ['Observation:', 'Calling tools:'], { engine })
    expect(textOf(output[0])).toBe('Thought.\n')
    expect(wrote.isClosed).toBe(true)
    expect(wrote.read).toBeLessThan(FINAL.length + 12)
  })

  test('the transcript ends as if the model had ended its turn in front of the stop string', async () => {
    const { transcript } = await answered('One. Observation: two', 'Observation:')
    expect(transcript).toEqual([...START, ...FINAL, ...encodeText('One.'), ...encodeText(' '), m.return])
  })

  test('the tokens of a stop string are counted, and reported by the entry that leaves them out', async () => {
    const { entries, response } = await answered('One. Calling many tools: two', 'Calling many tools:')
    const sampled = [...FINAL, ...encodeText('One. Calling many tools:')].length
    const shown = [...FINAL, ...encodeText('One.'), ...encodeText(' '), m.return].length
    expect(response.usage?.output_tokens).toBe(sampled)
    const last = entries.findLast(({ type }) => type === 'chunk')
    expect(last).toMatchObject({ usage: { unreadTokens: sampled - shown } })
  })

  const CALL = '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|end|><|start|>assistant'
  const FUNCTION = { type: 'function', name: 'f', parameters: {} }

  test.each<[string, object, string]>([
    ['a stop string', { stop: 'STOP' }, '<|channel|>final<|message|>Hi STOP there<|return|>'],
    ['its only call', { tools: [FUNCTION], parallel_tool_calls: false }, `${CALL}${CALL}`],
    ['its last token', { max_output_tokens: 4 }, '<|channel|>final<|message|>Hi there<|return|>'],
  ])('a response whose engine is closed at %s has the tokens that its cache had', async (_, fields, text) => {
    const engine = caching(writing(encodeHarmony(text)), 3)
    const { response, entries } = await run({ input: 'Go.', ...fields } as ResponseRequest, { engine })
    expect(response.usage?.input_tokens_details.cached_tokens).toBe(3)
    const later = await run({ input: 'Go.', ...fields } as ResponseRequest, { engine, entries: entries.slice(0, -1) })
    expect(later.response.usage).toEqual(response.usage)
  })

  test('an answer that is cut inside of a token counts that token once', async () => {
    const stop = encodeText(' Observation')
    expect(stop).toHaveLength(1)
    const wrote = { read: 0, isClosed: false }
    const engine = writing([...FINAL, ...stop, m.return], [1], wrote)
    // The rest of the token and the end are more tokens than were sampled.
    const { output, response } = await answered('', 'servation', { engine })
    expect([output.map(textOf), response.usage?.output_tokens]).toEqual([[' Ob'], wrote.read])
  })

  test('the limit of tokens counts those of a stop string', async () => {
    const both = `${SEARCH.replace('<|call|>', '<|end|>')}<|start|>assistant<|channel|>final<|message|>Wait STOP`
    const tokens = encodeHarmony(both)
    const request = { input: 'Go.', tools: [GITHUB], stop: 'STOP', max_output_tokens: tokens.length }
    const { response } = await run(request as ResponseRequest, { engine: writing(tokens) })
    expect([response.status, response.usage?.output_tokens]).toEqual(['incomplete', tokens.length])
  })

  test.each([
    ['a stop string that is the whole answer', 'STOP', 'STOP', ''],
    ['a stop string at the end', 'Hi STOP', 'STOP', 'Hi '],
    ['text that ends with the beginning of one', 'Hi Observ', 'Observation', 'Hi Observ'],
    ['no stop strings', 'Hi', [], 'Hi'],
  ])('%s is cut or shown', async (_, text, stop, shown) => {
    const { output, response } = await answered(text, stop)
    expect([output.map(textOf), response.status]).toEqual([[shown], 'completed'])
  })

  test('the first of two answers of one turn that has a stop string is the last', async () => {
    const tokens = encodeHarmony(
      '<|channel|>final<|message|>One<|end|><|start|>assistant<|channel|>final<|message|>Two STOP<|end|><|start|>assistant<|channel|>final<|message|>Three<|return|>',
    )
    const { output } = await run({ input: 'Go.', stop: 'STOP' }, { engine: writing(tokens) })
    expect(output.map(textOf)).toEqual(['One', 'Two '])
  })

  test('a stop string that spans two answers is none', async () => {
    const tokens = encodeHarmony(
      '<|channel|>final<|message|>ST<|end|><|start|>assistant<|channel|>final<|message|>OP<|return|>',
    )
    const { output } = await run({ input: 'Go.', stop: 'STOP' }, { engine: writing(tokens) })
    expect(output.map(textOf)).toEqual(['ST', 'OP'])
  })

  test('the answer after a call that the host ran is searched, too', async () => {
    const turns = [SEARCH, '<|channel|>final<|message|>Hi STOP there<|return|>']
    const { output, response } = await run({ input: 'Go.', tools: [GITHUB], stop: 'STOP' } as ResponseRequest, {
      turns,
    })
    expect([textOf(output.at(-1)), response.status]).toEqual(['Hi ', 'completed'])
  })

  test('calls in front of a cut answer are run, and the model continues', async () => {
    const both = `${SEARCH.replace('<|call|>', '<|end|>')}<|start|>assistant<|channel|>final<|message|>Wait STOP<|return|>`
    const engine = writing(encodeHarmony(both))
    const { output } = await run({ input: 'Go.', tools: [GITHUB], stop: 'STOP' } as ResponseRequest, { engine })
    expect(output.map(({ type }) => type)).toEqual(['mcp_list_tools', 'mcp_call', 'message'].slice(-output.length))
    expect(output.filter(({ type }) => type === 'mcp_call')).toMatchObject([{ status: 'completed' }])
  })
})

describe('text outside an answer is not searched', () => {
  test.each([
    ['reasoning', '<|channel|>analysis<|message|>STOP<|end|><|start|>assistant'],
    ['a preamble', '<|channel|>commentary<|message|>STOP<|end|><|start|>assistant'],
  ])('%s may have a stop string', async (_, first) => {
    const { output } = await run(
      { input: 'Go.', stop: 'STOP' },
      { engine: writing(encodeHarmony(`${first}${ANSWER}`)) },
    )
    expect(output).toHaveLength(2)
    expect(textOf(output[1])).toBe('Hi')
  })

  test('the arguments of a call may have a stop string', async () => {
    const call = '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"q":"STOP"}<|call|>'
    const tools = [{ type: 'function', name: 'f', parameters: {} }]
    const { output } = await run({ input: 'Go.', tools, stop: 'STOP' } as ResponseRequest, { turns: [call] })
    expect(output).toMatchObject([{ type: 'function_call', arguments: '{"q":"STOP"}' }])
  })

  test('a call that the request demands is made under stop strings', async () => {
    const turn =
      '<|channel|>analysis<|message|>STOP<|end|><|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"q":"STOP"}<|call|>'
    const tools = [{ type: 'function', name: 'f', parameters: {} }]
    const request = { input: 'Go.', tools, tool_choice: { type: 'function', name: 'f' }, stop: 'STOP' }
    const { output } = await run(request as ResponseRequest, { turns: [turn] })
    expect(output).toMatchObject([{ type: 'reasoning' }, { type: 'function_call', arguments: '{"q":"STOP"}' }])
  })

  test('a JSON answer is not cut, and the host learns that the stop string had no effect', async () => {
    const codes: unknown[] = []
    const turns = ['<|channel|>final<|message|>{"a":"STOP"}<|return|>']
    const format = { type: 'json_schema', name: 'x', schema: { type: 'object' } } as const
    const request = { input: 'Go.', stop: 'STOP', text: { format } }
    const onDiagnostic = (diagnostic: object): void => void codes.push(diagnostic)
    const whole = await run(request, { turns, onDiagnostic })
    expect(textOf(whole.output[0])).toBe('{"a":"STOP"}')
    expect(codes).toEqual([{ code: 'ignored_parameter', subject: 'stop (text.format is set)', index: -1 }])
    await run(request, { turns, onDiagnostic, entries: whole.entries.slice(0, 3) })
    expect(codes).toHaveLength(1)
  })

  test('the body of a strict call is held while answers are searched', async () => {
    const tools = [{ type: 'function', name: 'f', strict: true, parameters: SCHEMA }]
    const held = ['<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"q":"STOP"}<|call|>']
    const capabilities = { constraints: ['json_schema'] as const }
    const { output } = await run({ input: 'Go.', tools, stop: 'STOP' } as ResponseRequest, {
      engine: heldModelOf({ held, capabilities }),
    })
    expect(output).toMatchObject([{ type: 'function_call', arguments: '{"q":"STOP"}' }])
    const free = await run({ input: 'Go.', tools, stop: 'STOP' } as ResponseRequest, {
      engine: heldModelOf({ held: ['<|channel|>final<|message|>Hi STOP<|return|>'], capabilities }),
    })
    expect(free.output.map(textOf)).toEqual(['Hi '])
  })
})

describe('text that is held back', () => {
  test('text that is held back is shown where the tokens run out, and the response is incomplete', async () => {
    const { output, response } = await run(
      { input: 'Go.', stop: 'Observation', max_output_tokens: FINAL.length + 3 },
      { engine: writing([...FINAL, ...encodeText('Hi'), ...['Ob', 'serv', 'ation'].flatMap(encodeText)]) },
    )
    expect([textOf(output[0]), response.status]).toEqual(['HiObserv', 'incomplete'])
  })

  test('text that is held back is shown in front of the failure of an engine', async () => {
    const errors: unknown[] = []
    const error = new EngineError('server_error', 'gone')
    const tokens = [...FINAL, ...['Hi ', 'Ob', 'serv'].flatMap(encodeText)]
    const { output, response } = await run(
      { input: 'Go.', stop: 'Observation' },
      { engine: writing(tokens, [1], undefined, error), engineRestarts: 0, onError: (each) => void errors.push(each) },
    )
    expect([textOf(output[0]), response.status, errors]).toEqual(['Hi Observ', 'failed', [error]])
  })

  test('a stop string that is held back ends the answer where the engine fails', async () => {
    const errors: unknown[] = []
    const error = new EngineError('server_error', 'gone')
    // The shorter one is complete, but the longer one would begin in front of it.
    const tokens = [...FINAL, ...['Hi ', 'x', 'STOP'].flatMap(encodeText)]
    const { output, response } = await run(
      { input: 'Go.', stop: ['STOP', 'xSTOP now'] },
      { engine: writing(tokens, [1], undefined, error), engineRestarts: 0, onError: (each) => void errors.push(each) },
    )
    expect([textOf(output[0]), response.status, errors]).toEqual(['Hi x', 'completed', [error]])
  })

  test('each token that begins no stop string is shown at once', async () => {
    const { before: shown, entries } = await answered('One two three four', 'STOP')
    const chunks = entries.flatMap(({ type }, at) => (type === 'chunk' ? [at] : []))
    // After the header each token is an entry, and each entry has its delta.
    const deltas = chunks.slice(1).map((at) => (shown[at + 1] ?? 0) - (shown[at] ?? 0))
    expect(deltas.slice(0, 3).every((count) => count > 0)).toBe(true)
  })

  test('text that is held back keeps the log-probabilities of its tokens', async () => {
    const engine = writing([...FINAL, ...['Ob', 'serve', ' me'].flatMap(encodeText), m.return])
    const scored: TokenEngine = {
      ...engine,
      generate: (prompt, options) => {
        const tokens = engine.generate(prompt, options)
        return tokenStream(async function* () {
          for await (const chunk of tokens) yield (chunk as number[]).map((id) => ({ id, logprob: -1 }))
          return undefined
        })
      },
    }
    const { output } = await run(
      { input: 'Go.', stop: 'Observation', include: ['message.output_text.logprobs'] },
      { engine: scored },
    )
    expect(output).toMatchObject([{ content: [{ logprobs: [{ token: 'Ob' }, { token: 'serve' }, { token: ' me' }] }] }])
  })
})

describe('stop strings that are none', () => {
  test.each([[[['']]], [[Array(65).fill('a')]], [[5]], [[['a', 5]]], [['\ud83c']]])(
    'a stop of %j is refused by the call itself',
    ([stop]) => {
      expect(() => respond({ input: 'Go.', stop } as never, optionsOf({ turns: [ANSWER] }))).toThrow('request.stop')
    },
  )
})

const SCHEMA = {
  type: 'object',
  properties: { q: { type: 'string' } },
  required: ['q'],
  additionalProperties: false,
}

function isAnswer(item: OutputItem): boolean {
  return item.type === 'message' && item.phase === 'final_answer'
}

/** An item without its ids. */
function brief(item: OutputItem): string {
  return JSON.stringify(item, (name, value) => (/^(id|call_id)$/.test(name) ? undefined : value))
}
