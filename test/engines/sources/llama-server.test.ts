import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { markerText } from '../../../src/core/harmony/vocabulary.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import {
  createLlamaServerEngine as createCheckedLlamaServerEngine,
  STOP_TOKENS,
} from '../../../src/engines/sources/llama-server.js'
import { encodeText, harmonyText } from '../../../src/judge/conformance/arbitraries/index.js'
import { planPieces, type SourcePlan } from '../../../src/judge/conformance/check-source.js'
import { atOnce } from '../../../src/shared/slices.js'
import { exampleOf } from '../../support/constraint-laws.js'
import { httpEngineLaws } from '../../support/http-engine-laws.js'
import { readTokens } from '../../support/read-tokens.js'
import { runs } from '../../support/runs.js'
import { frame, scriptedServer, stream } from '../../support/scripted-server.js'

/** The check of the model has separate tests: here each request is one of the test. */
const createLlamaServerEngine: typeof createCheckedLlamaServerEngine = (options) =>
  createCheckedLlamaServerEngine(Object.assign({ checkModel: false }, options))

/** As a server answers that runs a gpt-oss model. */
const MODELS = modelsOf('gpt-oss-20b', 201088)

function modelsOf(id: string, n_vocab: number) {
  const meta = { vocab_type: 2, n_vocab, n_ctx: 8192, n_ctx_train: 131072 }
  return { object: 'list', data: [{ id, aliases: [id], object: 'model', owned_by: 'llamacpp', meta }] }
}

const table = await loadTokenTable()
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** An event while it generates. */
function partial(tokens: readonly number[], content: string, tokens_predicted: number, more: object = {}) {
  return { index: 0, content, tokens, stop: false, id_slot: -1, tokens_predicted, tokens_evaluated: 2, ...more }
}

/** The last event, which has no tokens in a stream. */
function final(stop_type: string, tokens_predicted: number, more: object = {}) {
  const counts = { tokens_predicted, tokens_evaluated: 2, tokens_cached: 2 + tokens_predicted }
  const timings = { cache_n: 1, prompt_n: 1, predicted_n: tokens_predicted }
  const settings = { generation_settings: { n_predict: -1 }, model: 'gpt-oss-20b', prompt: '<|start|>assistant' }
  const end = { truncated: false, stop_type, stopping_word: '', has_new_line: false }
  return { index: 0, content: '', tokens: [], id_slot: 0, stop: true, ...settings, ...counts, ...end, timings, ...more }
}

/** Whether the text ends inside a character, as llama-server looks at it: its last four bytes. */
function endsInside(bytes: readonly number[]): boolean {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes.at(-back) ?? 0
    if (byte >> 6 === 2) continue
    return (byte >= 0xf0 && back < 4) || (byte >= 0xe0 && back < 3) || (byte >= 0xc0 && back < 2)
  }
  return false
}

/** llama-server's events for these tokens: none while the text ends inside a character. */
function partials(tokens: readonly number[], countAhead = 0): unknown[] {
  const events: unknown[] = []
  const all: number[] = []
  let sent = 0
  for (const [index, id] of tokens.entries()) {
    all.push(...table.bytes(id))
    if (endsInside(all)) continue
    const content = utf8.decode(Uint8Array.from(all.slice(sent)))
    sent = all.length
    events.push(partial([id], content, Math.min(index + 1 + countAhead, tokens.length)))
  }
  return events
}

function frames(plan: SourcePlan): unknown[] {
  // It sends an event for each token, however many the plan has at a time.
  const events = partials(planPieces(plan).flat())
  if (plan.ending === 'hang') return events
  if (plan.ending === 'error') return [...events, { error: { code: 500, message: 'broken', type: 'server_error' } }]
  const [last] = plan.tokens.slice(-1)
  const stop_type = plan.ending === 'stop' && last !== undefined ? 'eos' : 'limit'
  return [...events, final(stop_type, plan.tokens.length)]
}

interface Body {
  readonly grammar?: string
  readonly logit_bias?: readonly (readonly [id: number, bias: unknown])[]
}

httpEngineLaws({
  name: 'llama-server',
  create: createLlamaServerEngine,
  frames,
  generatePath: '/completion',
  healthPath: '/health',
  tooLong: {
    status: 400,
    body: {
      error: {
        code: 400,
        message: 'request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 9000,
        n_ctx: 8192,
      },
    },
    words: 'request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it',
  },
  aside: { '/v1/models': MODELS },
  context: {
    path: '/props',
    of: (n_ctx) => ({ default_generation_settings: { params: { n_predict: -1 }, n_ctx }, total_slots: 4 }),
    // A router that has not loaded its model.
    unknown: { default_generation_settings: { n_ctx: 0 } },
  },
  constraints: ['json_schema', 'regex', 'gbnf'],
  constrained(body) {
    const { grammar, logit_bias = [] } = Object(body) as Body
    expect(logit_bias.every(([, bias]) => bias === false)).toBe(true)
    return { constraint: grammar, banned: new Set(logit_bias.map(([id]) => id)) }
  },
  // Whole words and markers: another test covers split characters.
  plans: { tokens: [13225, 2375, 0, 200007, 200006, 200005, 200008] },
})

describe('llama-server', () => {
  const server = scriptedServer({ '/v1/models': MODELS })
  const HELLO = frames({ tokens: [13225, 200012], cuts: [1], ending: 'stop', reader: { does: 'reads on' } })

  /** Without a server, as there are many. */
  function read(events: readonly unknown[]) {
    const fetch = async () => new Response(events.map(frame).join(''))
    return readTokens(createLlamaServerEngine({ url: 'http://a.invalid', fetch }).generate([1]))
  }

  test('llama-server says how much of a prompt its cache had while it reads it, and no token', async () => {
    const prompt_progress = { total: 2, cache: 1, processed: 1, time_ms: 3 }
    const events = [{ ...partial([0], '', 0), prompt_progress }, ...HELLO]
    const fetch = async () => new Response(events.map(frame).join(''))
    const said: unknown[] = []
    const onUsage = (usage: object): void => void said.push(usage)
    for await (const chunk of createLlamaServerEngine({ url: 'http://a.invalid', fetch }).generate([1], { onUsage })) {
      said.push(chunk)
    }
    // The step without tokens says that the server is at work.
    expect(said).toEqual([{ inputTokens: 2, cachedTokens: 1 }, [], [13225], [200012]])
  })

  test('a server that breaks down while it reads a prompt is asked again', async () => {
    const prompt_progress = { total: 2, cache: 1, processed: 1, time_ms: 3 }
    const answers = [[{ ...partial([0], '', 0), prompt_progress }], HELLO]
    const fetch = async () => new Response(answers.shift()?.map(frame).join(''))
    const engine = createLlamaServerEngine({ url: 'http://a.invalid', fetch, checkModel: false })
    const { tokens } = await readTokens(engine.generate([1]))
    expect(tokens).toEqual([13225, 200012])
  })

  test('a client that leaves while llama-server reads a prompt closes its request', async () => {
    const prompt_progress = { total: 2, cache: 1, processed: 1, time_ms: 3 }
    let signal: AbortSignal | undefined
    const fetch: typeof globalThis.fetch = async (_, init) => {
      signal = init?.signal ?? undefined
      const begun = new TextEncoder().encode(frame({ ...partial([0], '', 0), prompt_progress }))
      return new Response(new ReadableStream({ start: (controller) => controller.enqueue(begun) }))
    }
    const stream = createLlamaServerEngine({ url: 'http://a.invalid', fetch, checkModel: false }).generate([1])
    expect(await stream.next()).toEqual({ done: false, value: [] })
    await stream.return()
    expect(signal?.aborted).toBe(true)
  })

  test('llama-server is asked for token ids, with nothing left to the defaults of the server', async () => {
    const { url, asked } = server.script(stream(HELLO))
    const engine = createLlamaServerEngine({ url, model: 'gpt-oss' })
    const { end } = await readTokens(engine.generate([1, 2], { logprobs: 0, sampling: { minP: 0.1, seed: -2 } }))
    expect(asked[0]?.body).toEqual({
      model: 'gpt-oss',
      prompt: [1, 2],
      n_predict: -1,
      temperature: 1,
      top_p: 1,
      top_k: 0,
      min_p: 0.1,
      samplers: ['top_k', 'top_p', 'min_p', 'temperature'],
      seed: 0xffff_fffd,
      n_probs: 1,
      cache_prompt: true,
      return_tokens: true,
      return_progress: true,
      stream: true,
    })
    expect(end).toEqual({ reason: 'stop', usage: { inputTokens: 2, cachedTokens: 1 } })
  })

  test('llama-server gives log-probabilities', async () => {
    const top_logprobs = [
      { id: 5, token: 'a', bytes: [97], logprob: -0.5 },
      { id: 13225, token: 'Hello', bytes: [72], logprob: -1.5 },
      { id: 7, token: 'b', bytes: [98], logprob: -3.4028234663852886e38 },
    ]
    const completion_probabilities = [{ id: 13225, token: 'Hello', bytes: [72], logprob: -1.5, top_logprobs }]
    const { url } = server.script(
      stream([partial([13225], 'Hello', 1, { completion_probabilities }), final('limit', 1)]),
    )
    const { tokens } = await readTokens(createLlamaServerEngine({ url }).generate([1], { logprobs: 2 }))
    const two = [
      { id: 5, logprob: -0.5 },
      { id: 13225, logprob: -1.5 },
    ]
    expect(tokens).toEqual([{ id: 13225, logprob: -1.5, topLogprobs: two }])
  })

  test('llama-server writes an error as a field of that name, if it is older', async () => {
    const { url } = server.script((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end('error: {"code":500,"message":"context is gone","type":"server_error"}\n\n')
    })
    await expect(createLlamaServerEngine({ url }).generate([1]).next()).rejects.toMatchObject({
      code: 'server_error',
      message: 'context is gone',
      status: 500,
    })
  })

  describe('keeps tokens back that end inside a character', () => {
    test('tokens that llama-server keeps back inside a character are found again', async () => {
      const text = 'a 🦩 and 🧑‍🚀, 𐎠𐎡, ᚠᛇᚻ.'
      const ids = [...encodeText(text, table), 200002]
      const sent = partials(ids)
      expect(sent.length).toBeLessThan(ids.length)
      const { tokens, end } = await read([...sent, final('eos', ids.length)])
      expect(tokens).toEqual(ids)
      expect(end).toEqual({ reason: 'stop', usage: { inputTokens: 2, cachedTokens: 1 } })
    })

    test('tokens that llama-server keeps back are found with the same bytes, however far it counts ahead of them', async () => {
      await fc.assert(
        fc.asyncProperty(harmonyText(), fc.integer({ min: 0, max: 3 }), async (text, ahead) => {
          const ids = [...encodeText(text, table), 200002]
          const { tokens } = await read([...partials(ids, ahead), final('eos', ids.length)])
          const bytes = (list: readonly unknown[]): number[] => list.flatMap((id) => [...table.bytes(id as number)])
          expect(tokens.every((id) => typeof id === 'number')).toBe(true)
          expect(bytes(tokens)).toEqual(bytes(ids))
          if (ahead === 0) expect(tokens).toHaveLength(ids.length)
        }),
        { numRuns: runs(200) },
      )
    })

    const [BROKEN = 0] = encodeText('\ufffd', table)
    const said = (ids: readonly unknown[]): string =>
      utf8.decode(Uint8Array.from(ids.flatMap((id) => [...table.bytes(id as number)])))

    test('tokens that llama-server keeps back are U+FFFD if they were invalid UTF-8', async () => {
      const { tokens, end } = await read([partial([13225], '\ufffdHello', 2), final('limit', 2)])
      expect(tokens).toEqual([BROKEN, 13225])
      expect(end).toEqual({ reason: 'max_output_tokens', usage: { inputTokens: 2, cachedTokens: 1 } })
    })

    test.each([
      ['\ufffd', 1],
      ['\ufffd', 2],
      ['\ufffd', 3],
      ['о\ufffd', 1],
      ['\ufffdо\ufffd', 2],
      ['\ufffdо\ufffd', 5],
      ['<|end|>\ufffd', 8],
      ['\ufffd<|start|>system<|message|>\ufffd', 16],
    ])(
      'tokens that llama-server keeps back are as many ids as they were, and no marker: %j of %i',
      async (text, count) => {
        const { tokens, end } = await read([partial([13225], `${text}Hello`, count + 1), final('limit', count + 1)])
        expect(tokens).toHaveLength(count + 1)
        expect(said(tokens)).toBe(`${text}Hello`)
        expect(end?.usage).toEqual({ inputTokens: 2, cachedTokens: 1 })
      },
    )

    test('tokens that llama-server keeps back are counted by the server where no ids are as many', async () => {
      const text = '\ufffd'.repeat(100)
      const { tokens, end } = await read([partial([13225], `${text}Hello`, 2), final('limit', 2)])
      expect(said(tokens)).toBe(`${text}Hello`)
      expect(end?.usage?.outputTokens).toBe(2)
    })

    test('tokens that llama-server keeps back say the same if U+FFFD stands for a byte in front of a character', async () => {
      const last = encodeText('🦩', table).at(-1) ?? 0
      const { tokens } = await read([partial([13225], 'Hello', 1), partial([last], '\ufffd🦩', 5), final('limit', 5)])
      expect(said(tokens)).toBe('Hello\ufffd🦩')
      expect([tokens.length, tokens.at(-1)]).toEqual([5, last])
    })

    test('tokens that llama-server keeps back are U+FFFD if the limit cuts a character', async () => {
      const [half] = encodeText('🦩', table)
      const { tokens, end } = await read([...partials([13225, half ?? 0]), final('limit', 2)])
      expect(tokens).toEqual([13225, BROKEN])
      expect(end?.usage?.outputTokens).toBeUndefined()
    })

    test('tokens that llama-server keeps back are U+FFFD in front of a marker, whether the server spells it or not', async () => {
      for (const spelling of ['<|end|>', '']) {
        const sent = [partial([13225], 'Hello', 1), partial([200007], `\ufffd${spelling}`, 3)]
        const { tokens } = await read([...sent, partial([200006], '<|start|>', 4), final('limit', 4)])
        expect(tokens).toEqual([13225, BROKEN, 200007, 200006])
      }
    })

    test('tokens that llama-server keeps back are in front of those that may begin a stop word, as they were', async () => {
      const [less = 0, not = 0] = [...encodeText('<', table), ...encodeText('not', table)]
      const begun = [partial([13225], 'Hello', 1), partial([less], '', 3)]
      const { tokens } = await read([...begun, partial([not], '\ufffd<not', 4), final('limit', 4)])
      expect(tokens).toEqual([13225, BROKEN, less, not])
      expect((await read([...begun, final('limit', 3)])).tokens).toEqual([13225, BROKEN, less])
      // Nothing was in front of it: the server counts ahead.
      const ahead = await read([...begun, partial([not], '<not', 4), final('limit', 4)])
      expect(ahead.tokens).toEqual([13225, less, not])
      const cut = encodeText('🦩', table).at(-1) ?? 0
      const { tokens: both } = await read([...begun, partial([cut], '\ufffd<\ufffd', 4), final('limit', 4)])
      expect(both).toEqual([13225, BROKEN, less, cut])
    })

    test('tokens that llama-server keeps back are U+FFFD at the end of a turn, whose stop token is put back', async () => {
      const { tokens, end } = await read([partial([200008], '<|message|>', 1), final('eos', 3)])
      expect(tokens).toEqual([200008, BROKEN, 200002])
      expect(end).toMatchObject({ reason: 'stop' })
    })

    test('a call whose last tokens llama-server keeps back ends with the stop token of calls', async () => {
      const header = [...encodeText(' to=functions.f', table), 200008]
      const open = [200006, ...encodeText('assistant', table)]
      const sent = [...open, ...header].map((id, index) => partial([id], '', index + 1))
      expect((await read([...sent, final('eos', sent.length + 2)])).tokens.slice(-2)).toEqual([BROKEN, 200012])
      // The message before it was a call, and this one is not.
      const next = [200007, ...open, 200008].map((id, index) => partial([id], '', sent.length + index + 1))
      const count = sent.length + next.length + 2
      expect((await read([...sent, ...next, final('eos', count)])).tokens.slice(-2)).toEqual([BROKEN, 200002])
    })

    test('nothing is made up for tokens that llama-server only counts and never sends', async () => {
      const sent = [partial([13225], 'Hello', 3), partial([2375], ' world', 3)]
      expect((await read([...sent, final('limit', 3)])).tokens).toEqual([13225, 2375])
    })

    test('a single byte that comes with its id is that id', async () => {
      const last = encodeText('🦩', table).at(-1) ?? 0
      const { tokens } = await read([partial([13225], 'Hello', 1), partial([last], '\ufffd', 2), final('limit', 2)])
      expect(tokens).toEqual([13225, last])
    })
  })

  test.each([
    [{ regex: 'a|b' }, 'root ::= '],
    [{ jsonSchema: { type: 'boolean' } }, 'root ::= '],
    [{ grammar: 'root ::= "a" # mine', syntax: 'gbnf' }, 'root ::= "a" # mine'],
  ] as const)('llama-server is sent the constraint %j as a grammar, and no schema', async (constraint, grammar) => {
    const { url, asked } = server.script(stream(HELLO))
    await readTokens(createLlamaServerEngine({ url }).generate([1], { constraint, logprobs: 1 }))
    expect(asked[0]?.body).toMatchObject({ grammar: expect.stringContaining(grammar), n_probs: 1 })
    expect(asked[0]?.body).not.toHaveProperty('json_schema')
    expect((Object(asked[0]?.body) as Body).logit_bias).toHaveLength(201088 - 199998 - STOP_TOKENS.length)
  })

  test('llama-server refuses a value that is not a schema before the call, with the place', async () => {
    const engine = createLlamaServerEngine({ url: 'http://a.invalid', fetch: async () => Response.json({}) })
    const constraint = { jsonSchema: { type: 'object', properties: { 'a/b': { type: 'objekt' } } } }
    const capabilities = (await engine.capabilities?.()) ?? {}
    const [refused] = atOnce(capabilities.fit?.(constraint) ?? expect.fail('no fit')).relaxed
    expect(refused?.path).toBe('/properties/a~1b/type')
    expect(() => engine.generate([1], { constraint })).toThrow(
      `constraint: llama-server cannot enforce ${refused?.path}: ${refused?.message}`,
    )
    expect(() => engine.generate([1], { constraint: { regex: '(?=a)' } })).toThrow(
      'constraint: llama-server cannot enforce',
    )
  })

  test('a model of a router is asked for its context length by its name, beside the query of the URL', async () => {
    let asked = ''
    const fetch = async (url: unknown) => {
      asked = String(url)
      return Response.json({ default_generation_settings: { n_ctx: 4096 } })
    }
    const engine = createLlamaServerEngine({ url: 'http://a.invalid/?key=1', model: 'gpt/oss &c', fetch })
    expect(await engine.capabilities?.()).toMatchObject({ contextLength: 4096 })
    expect(asked).toBe('http://a.invalid/props?model=gpt%2Foss%20%26c&key=1')
  })

  describe('stops at markers', () => {
    const MARKER = encodeText('<|message|>', table)
    const STOP = [200002, 200012, 199999, 200008]

    /**
     * llama-server's events with a stop word: an id for each token, and no text from the position where the word may
     * begin; it ends when the text has the word, as one token or several.
     */
    function untilWord(tokens: readonly number[], word: string): unknown[] {
      const events: unknown[] = []
      let text = ''
      let sent = 0
      for (const [index, id] of tokens.entries()) {
        text += id >= 199998 ? markerText(id) : (table.text(id) ?? expect.unreachable())
        const found = text.indexOf(word, sent)
        const end = found >= 0 ? found : text.length - begunAt(text, word)
        events.push(partial([id], text.slice(sent, Math.max(sent, end)), index + 1))
        sent = Math.max(sent, end)
        if (found >= 0) return [...events, final('word', index + 1, { stopping_word: word })]
      }
      return [...events, final(STOP_TOKENS.includes(tokens.at(-1) ?? 0) ? 'eos' : 'limit', tokens.length)]
    }

    /** The number of characters at the end of a text that may begin a word. */
    function begunAt(text: string, word: string): number {
      for (let length = Math.min(word.length - 1, text.length); length > 0; length--) {
        if (text.endsWith(word.slice(0, length))) return length
      }
      return 0
    }

    /** A server whose model writes these tokens after this prompt, and continues from any position. */
    function modelThatWrites(tokens: readonly number[], prompt: readonly number[] = [1, 2]) {
      const asked: { prompt: number[]; stop?: string[]; n_predict: number }[] = []
      const fetch = async (url: unknown, { body }: RequestInit = {}) => {
        if (String(url).endsWith('/v1/models')) return Response.json(MODELS)
        const request = JSON.parse(String(body))
        asked.push(request)
        const rest = tokens.slice(request.prompt.length - prompt.length)
        const most = request.n_predict < 0 ? rest.length : request.n_predict
        const events = untilWord(rest.slice(0, most), request.stop?.[0] ?? '\0')
        return new Response(events.map(frame).join(''))
      }
      return { asked, engine: createLlamaServerEngine({ url: 'http://a.invalid', fetch }), prompt }
    }

    test('llama-server stops at <|message|> by itself, which is the last token', async () => {
      const header = [200005, ...encodeText('final', table), 200008]
      const { engine, asked, prompt } = modelThatWrites([...header, 13225, 200002])
      const { tokens, end } = await readTokens(engine.generate(prompt, { stop: STOP }))
      expect(tokens).toEqual(header)
      expect(end).toMatchObject({ reason: 'stop', usage: { inputTokens: 2 } })
      expect(asked).toMatchObject([{ stop: ['<|message|>'] }])
    })

    test('llama-server stops at <|end|> by itself, and at ordinary ids by being cut off', async () => {
      const { engine, asked, prompt } = modelThatWrites([13225, 200007, 2375, 200002])
      expect((await readTokens(engine.generate(prompt, { stop: [200007] }))).tokens).toEqual([13225, 200007])
      expect((await readTokens(engine.generate(prompt, { stop: [2375] }))).tokens).toEqual([13225, 200007, 2375])
      expect(asked.map(({ stop }) => stop)).toEqual([['<|end|>'], undefined])
    })

    test('llama-server is sent no stop words for the default ids, nor beside a constraint', async () => {
      const { engine, asked, prompt } = modelThatWrites([13225, 200002])
      await readTokens(engine.generate(prompt))
      await readTokens(engine.generate(prompt, { stop: STOP, constraint: exampleOf('gbnf') }))
      for (const body of asked) expect(body).not.toHaveProperty('stop')
    })

    test('llama-server continues where a marker is only spelled, with the prompt and all tokens so far', async () => {
      const answer = [...encodeText('Write ', table), ...MARKER, ...encodeText(' here', table), 200008, 13225]
      const { engine, asked, prompt } = modelThatWrites(answer)
      const { tokens, end } = await readTokens(engine.generate(prompt, { stop: STOP, maxTokens: 64 }))
      expect(tokens).toEqual(answer.slice(0, -1))
      expect(end).toEqual({ reason: 'stop', usage: { inputTokens: 2, cachedTokens: 1 } })
      const upTo = answer.indexOf(MARKER.at(-1) ?? 0) + 1
      expect(asked).toMatchObject([
        { prompt: [1, 2], n_predict: 64 },
        { prompt: [1, 2, ...answer.slice(0, upTo)], n_predict: 64 - upTo },
      ])
    })

    test('llama-server ends at the limit where a marker is only spelled there', async () => {
      const { engine, asked, prompt } = modelThatWrites([...MARKER, 13225])
      const { tokens, end } = await readTokens(engine.generate(prompt, { stop: STOP, maxTokens: MARKER.length }))
      expect([tokens, end?.reason, asked.length]).toEqual([MARKER, 'max_output_tokens', 1])
    })

    test('llama-server fails if it stops at a word before any token', async () => {
      const fetch = async () => new Response(frame(final('word', 0)))
      const engine = createLlamaServerEngine({ url: 'http://a.invalid', fetch, retries: 0 })
      await expect(engine.generate([1], { stop: STOP }).next()).rejects.toMatchObject({
        code: 'server_error',
        message: 'llama-server stopped at a word without a token',
      })
    })

    test('llama-server gives the same tokens, whatever text begins a marker, spells one or has one', async () => {
      const piece = fc.constantFrom('<', '<|', '|>', '<|message|>', '<|mess', 'age|>', 'a<', ' b', 'message', '|', 'x')
      const token = fc.oneof(
        piece.map((text) => encodeText(text, table)),
        fc.constant([200008]),
        fc.constant([200007]),
      )
      await fc.assert(
        fc.asyncProperty(fc.array(token, { maxLength: 12 }), async (parts) => {
          const written = [...parts.flat(), 200002]
          const { engine, prompt } = modelThatWrites(written)
          const { tokens, end } = await readTokens(engine.generate(prompt, { stop: STOP }))
          const at = written.findIndex((id) => STOP.includes(id))
          expect(tokens).toEqual(written.slice(0, at + 1))
          expect(end).toEqual({ reason: 'stop', usage: { inputTokens: 2, cachedTokens: 1 } })
        }),
        { numRuns: runs(200) },
      )
    })
  })
})
