import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import { collectResponse } from '../../../src/core/translate/collect-response.js'
import { respond } from '../../../src/endpoint/respond/index.js'
import { createSglangEngine as createCheckedSglangEngine } from '../../../src/engines/sources/sglang.js'
import { planPieces, type SourcePlan } from '../../../src/judge/conformance/check-source.js'
import { httpEngineLaws } from '../../support/http-engine-laws.js'
import { readTokens } from '../../support/read-tokens.js'
import { frame, scriptedServer, stream } from '../../support/scripted-server.js'

/** The check of the model has separate tests: here each request is one of the test. */
const createSglangEngine: typeof createCheckedSglangEngine = (options) =>
  createCheckedSglangEngine(Object.assign({ checkModel: false, structuredOutputs: 'guidance' }, options))

interface Finish {
  readonly type: string
  readonly matched?: number
  readonly length?: number
}

/** An event of /generate. `completion_tokens` counts all tokens of the call, the stop token too. */
function event(output_ids: readonly number[], completion_tokens: number, finish?: Finish, more: object = {}) {
  const about = { id: '1', prompt_tokens: 2, weight_version: 'default', cached_tokens: 1 }
  return { text: '', output_ids, meta_info: { ...about, finish_reason: finish ?? null, completion_tokens, ...more } }
}

/** The server's answers about itself. */
const INFO = { '/server_info': { version: '0.5.23', max_req_input_len: 8186, grammar_backend: 'llguidance' } }

type Style = 'cumulative' | 'incremental'

/**
 * Its streams by default, and with `--incremental-streaming-output`; the stop token with or without its position.
 */
function framesOf(style: Style, isTrimmed: boolean): (plan: SourcePlan) => unknown[] {
  return (plan) => {
    const pieces = planPieces(plan)
    let total = 0
    const events = pieces.map((piece, index) => {
      total += piece.length
      const isStop = plan.ending === 'stop' && index === pieces.length - 1
      const finish = isStop ? { type: 'stop', matched: piece.at(-1) as number } : undefined
      const ids = style === 'cumulative' ? plan.tokens.slice(0, total) : piece
      return event(isStop && isTrimmed ? ids.slice(0, -1) : ids, total, finish)
    })
    if (plan.ending === 'hang') return events
    if (plan.ending === 'error') {
      const message = 'Internal error.'
      return [...events, { error: { message, type: 'invalid_request_error', code: 400, retryable: false } }]
    }
    const all = style === 'cumulative' ? plan.tokens : []
    const length = plan.ending === 'length' ? [event(all, total, { type: 'length', length: total })] : []
    return [...events, ...length, '[DONE]']
  }
}

interface Body {
  readonly sampling_params: {
    readonly [kind in 'json_schema' | 'regex' | 'ebnf']?: string
  } & { readonly logit_bias?: Readonly<Record<string, number>> }
}

for (const style of ['cumulative', 'incremental'] as const) {
  for (const isTrimmed of [false, true]) {
    httpEngineLaws({
      name: 'SGLang',
      create: createSglangEngine,
      frames: framesOf(style, isTrimmed),
      generatePath: '/generate',
      healthPath: '/server_info',
      aside: INFO,
      tooLong: {
        status: 400,
        body: {
          error: { message: "The input (9000 tokens) is longer than the model's context length (8192 tokens)." },
        },
        words: "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
      },
      context: {
        path: '/v1/models',
        others: ['/server_info'],
        of: (max_model_len) => ({ object: 'list', data: [{ id: 'openai/gpt-oss-20b', max_model_len }] }),
        unknown: { object: 'list', data: [{ id: 'openai/gpt-oss-20b', max_model_len: null }] },
      },
      constraints: ['json_schema', 'regex', 'gbnf'],
      constrained(body) {
        const { json_schema, regex, ebnf, logit_bias = {} } = (Object(body) as Body).sampling_params
        return { constraint: json_schema ?? regex ?? ebnf, banned: new Set(Object.keys(logit_bias).map(Number)) }
      },
    })
  }
}

describe('SGLang', () => {
  const server = scriptedServer(INFO)
  const HELLO = framesOf(
    'cumulative',
    false,
  )({ tokens: [13225, 200012], cuts: [1], ending: 'stop', reader: { does: 'reads on' } })

  test('SGLang is asked for token ids, with nothing left to the defaults of the server', async () => {
    const { url, asked } = server.script(stream(HELLO))
    const { end } = await readTokens(
      createSglangEngine({ url }).generate([1, 2], {
        logprobs: 0,
        cacheSalt: 'ann',
        sampling: { temperature: 0, seed: 4 },
      }),
    )
    expect(asked[0]?.body).toEqual({
      input_ids: [1, 2],
      sampling_params: {
        max_new_tokens: null,
        temperature: 0,
        top_p: 1,
        top_k: -1,
        min_p: 0,
        sampling_seed: 4,
        stop_token_ids: [200002, 200012, 199999],
        no_stop_trim: true,
        skip_special_tokens: false,
      },
      extra_key: 'ann',
      return_logprob: true,
      top_logprobs_num: 0,
      return_text_in_logprobs: false,
      stream: true,
    })
    expect(end).toEqual({ reason: 'stop', usage: { inputTokens: 2, cachedTokens: 1 } })
  })

  test('SGLang says with its first token how much of the prompt its cache had', async () => {
    const fetch = async () => new Response([event([13225], 1), event([13225, 2375], 2)].map(frame).join(''))
    const said: unknown[] = []
    const onUsage = (usage: object): void => void said.push(usage)
    const options = { onUsage, maxTokens: 2 }
    for await (const chunk of createSglangEngine({ url: 'http://a.invalid', fetch, checkModel: false }).generate(
      [1, 2],
      options,
    )) {
      said.push(chunk)
    }
    expect(said).toEqual([{ inputTokens: 2, cachedTokens: 1 }, [13225], [2375]])
  })

  test.each([
    [{ jsonSchema: { type: 'boolean' } }, { ebnf: 'root ::= value-0\nvalue-0 ::= "true" | "false"\n' }],
    [{ regex: '[a-z]+' }, { regex: '[a-z]+' }],
    [{ grammar: 'root ::= "a"', syntax: 'gbnf' }, { ebnf: 'root ::= "a"' }],
  ] as const)('SGLang is sent the constraint %j among its sampling parameters', async (constraint, sent) => {
    const { url, asked } = server.script(stream(HELLO))
    await readTokens(createSglangEngine({ url }).generate([1], { constraint, logprobs: 0 }))
    expect(asked[0]?.body).toMatchObject({ sampling_params: sent, return_logprob: true })
  })

  test('SGLang is sent biases that no score outweighs', async () => {
    const { url, asked } = server.script(stream(HELLO))
    await readTokens(createSglangEngine({ url }).generate([1], { constraint: { regex: 'a' } }))
    const { logit_bias = {} } = (Object(asked[0]?.body) as Body).sampling_params
    for (const bias of Object.values(logit_bias)) expect(bias).toBeLessThanOrEqual(-1000)
  })

  test('SGLang may be given its context length', async () => {
    const fetch = async (url: unknown) =>
      String(url).endsWith('/server_info') ? Response.json({}) : expect.unreachable()
    const engine = createSglangEngine({ url: 'http://a.invalid', contextSize: 4096, fetch })
    expect(await engine.capabilities?.()).toMatchObject({ contextLength: 4096 })
    expect(() => createSglangEngine({ url: 'http://a', contextSize: 0 })).toThrow(
      'contextSize: expected a whole number',
    )
  })

  describe('has a limit of the prompt', () => {
    /** A server whose prompts have at most 4 tokens, or that does not report a limit; with its requests. */
    function limited(paths: Readonly<Record<string, unknown>>, answer: () => Response = () => answered(HELLO)) {
      const asked: { path: string; body: unknown }[] = []
      const fetch = async (url: unknown, { body }: RequestInit = {}) => {
        const path = new URL(String(url)).pathname
        asked.push({ path, body: body && JSON.parse(String(body)) })
        if (path === '/generate') return answer()
        return path in paths ? Response.json(paths[path]) : Response.json({ detail: 'Not Found' }, { status: 404 })
      }
      return { asked, engine: createSglangEngine({ url: 'http://a.invalid', contextSize: 10, fetch }) }
    }
    const answered = (frames: readonly unknown[]): Response => new Response(frames.map(frame).join(''))
    const FOUR = { '/server_info': { max_req_input_len: 5 } }

    test('SGLang says how long a prompt may be, beside its context', async () => {
      const { engine, asked } = limited(FOUR)
      expect(await engine.capabilities?.()).toMatchObject({ contextLength: 10, maxPromptLength: 4 })
      await readTokens(engine.generate([1]))
      expect(asked.map(({ path }) => path)).toEqual(['/server_info', '/generate'])
    })

    test('SGLang is not sent a prompt that is longer than it takes', async () => {
      const { engine, asked } = limited(FOUR)
      await expect(readTokens(engine.generate([1, 2, 3, 4, 5]))).rejects.toMatchObject({
        code: 'context_length_exceeded',
        message: expect.stringContaining(
          "This model's maximum context length is 5 tokens. However, your prompt has 5 tokens",
        ),
      })
      expect(asked.map(({ path }) => path)).toEqual(['/server_info'])
    })

    test.each([
      [undefined, null],
      [2, 2],
      [3, null],
      [4096, null],
    ])('SGLang, which refuses an answer that may not fit, is asked for what fits: %s', async (maxTokens, sent) => {
      const { engine, asked } = limited(FOUR)
      await readTokens(engine.generate([1, 2], maxTokens === undefined ? {} : { maxTokens }))
      expect(asked.at(-1)?.body).toMatchObject({ sampling_params: { max_new_tokens: sent } })
    })

    test('an older SGLang is asked by its older path, and one without an answer has no known limit', async () => {
      const older = limited({ '/get_server_info': { max_req_input_len: 5 } })
      expect(await older.engine.capabilities?.()).toMatchObject({ maxPromptLength: 4 })
      const silent = limited({})
      expect(await silent.engine.capabilities?.()).not.toHaveProperty('maxPromptLength')
      await readTokens(silent.engine.generate([1, 2], { maxTokens: 7 }))
      expect(silent.asked.at(-1)?.body).toMatchObject({ sampling_params: { max_new_tokens: 7 } })
    })

    test('SGLang that cut the prompt fails the call, and nothing of its answer is given', async () => {
      const { engine } = limited({}, () => answered([event([13225], 1), event([13225, 200002], 2)]))
      const call = engine.generate([1, 2, 3])
      await expect(call.next()).rejects.toMatchObject({
        code: 'context_length_exceeded',
        message: 'SGLang read 2 of the 3 tokens of the prompt: start it without --allow-auto-truncate.',
      })
    })

    test('SGLang is asked again for its limit after a prompt that was too long for it', async () => {
      const paths = { '/server_info': { max_req_input_len: 2 } }
      const { engine } = limited(paths)
      await expect(readTokens(engine.generate([1, 2]))).rejects.toMatchObject({ code: 'context_length_exceeded' })
      paths['/server_info'] = { max_req_input_len: 3 }
      await readTokens(engine.generate([1, 2]))
      expect(await engine.capabilities?.()).toMatchObject({ contextLength: 10, maxPromptLength: 2 })
    })

    test('SGLang is asked again for its limit after a lost connection', async () => {
      const sizes = [5, 7]
      let isDown = false
      const fetch = async (url: unknown) => {
        if (isDown) throw new TypeError('fetch failed')
        if (String(url).endsWith('/generate')) return answered(HELLO)
        return Response.json({ max_req_input_len: sizes.shift() })
      }
      const engine = createSglangEngine({ url: 'http://a.invalid', contextSize: 10, retries: 0, fetch })
      await readTokens(engine.generate([1]))
      isDown = true
      await expect(readTokens(engine.generate([1]))).rejects.toMatchObject({ isUnavailable: true })
      isDown = false
      expect(await engine.capabilities?.()).toMatchObject({ maxPromptLength: 6 })
    })
  })

  test.each([401, 403, 404, 405])(
    'SGLang whose proxy answers %i to /server_info is healthy if /health answers',
    async (status) => {
      const fetch = (async (url: unknown) =>
        new Response('', { status: String(url).endsWith('/health') ? 200 : status })) as typeof globalThis.fetch
      const engine = createSglangEngine({ url: 'http://sglang.invalid', checkModel: false, fetch })
      await expect(engine.health()).resolves.toBeUndefined()
    },
  )

  test('SGLang is asked for its health without a token, and an older one by the path that it has', async () => {
    const paths: string[] = []
    const healthOf = (own: string) =>
      createSglangEngine({
        url: 'http://a.invalid',
        fetch: async (url) => {
          const path = new URL(String(url)).pathname
          paths.push(path)
          return new Response('{}', { status: path === own ? 200 : 404 })
        },
      }).health()
    await healthOf('/server_info')
    await healthOf('/get_server_info')
    await healthOf('/health')
    expect(paths.join(' ')).toBe('/server_info /server_info /get_server_info /server_info /get_server_info /health')
    await expect(healthOf('/none')).rejects.toMatchObject({ status: 404 })
  })

  test.each<Style>(['cumulative', 'incremental'])('SGLang gives log-probabilities of a %s stream', async (style) => {
    const own = [
      [-1.5, 13225, null],
      [-0.25, 2375, null],
      [null, 200002, null],
    ]
    const top = [
      [
        [-0.5, 5, null],
        [-1.5, 13225, null],
      ],
      null,
      [[0, 200002, null]],
    ]
    const upTo = (from: number, to: number) => {
      const start = style === 'cumulative' ? 0 : from
      return { output_token_logprobs: own.slice(start, to), output_top_logprobs: top.slice(start, to) }
    }
    const ids = style === 'cumulative' ? [[13225], [13225, 2375]] : [[13225], [2375]]
    // The stop token is kept back, but its probability is not.
    const { url } = server.script(
      stream([
        event(ids[0] ?? [], 1, undefined, upTo(0, 1)),
        event(ids[1] ?? [], 3, { type: 'stop', matched: 200002 }, upTo(1, 3)),
        '[DONE]',
      ]),
    )
    const { tokens } = await readTokens(createSglangEngine({ url }).generate([1], { logprobs: 2 }))
    expect(tokens).toEqual([
      {
        id: 13225,
        logprob: -1.5,
        topLogprobs: [
          { id: 5, logprob: -0.5 },
          { id: 13225, logprob: -1.5 },
        ],
      },
      { id: 2375, logprob: -0.25, topLogprobs: [] },
      200002,
    ])
  })

  test('SGLang is understood if it does not count its tokens', async () => {
    const { url } = server.script(
      stream([
        { output_ids: [5], meta_info: { finish_reason: null } },
        { output_ids: [5, 6], meta_info: { finish_reason: null } },
        { output_ids: [5, 6, 200002], meta_info: { finish_reason: { type: 'stop', matched: 200002 } } },
      ]),
    )
    expect(await readTokens(createSglangEngine({ url }).generate([1]))).toEqual({
      tokens: [5, 6, 200002],
      end: { reason: 'stop', usage: {} },
    })
  })

  test('SGLang says in the stream that it has no room, and is tried again', async () => {
    const abort = { type: 'abort', message: 'The request queue is full.', status_code: 503, err_type: null }
    const { url, asked } = server.script(stream([event([], 0, abort), '[DONE]']))
    const call = createSglangEngine({ url, delay: async () => {} }).generate([1])
    await expect(call.next()).rejects.toMatchObject({
      code: 'rate_limit_exceeded',
      message: 'The request queue is full.',
      status: 503,
    })
    expect(asked).toHaveLength(3)
  })

  test('SGLang that aborts gives what it has sampled before', async () => {
    const abort = { type: 'abort', message: 'Aborted by AbortReq.' }
    const { url } = server.script(stream([event([5], 1), event([5, 6], 2, abort)]))
    const call = createSglangEngine({ url }).generate([1])
    expect((await call.next()).value).toEqual([5])
    expect((await call.next()).value).toEqual([6])
    await expect(call.next()).rejects.toMatchObject({ code: 'server_error', message: 'Aborted by AbortReq.' })
  })

  describe('refuses calls', () => {
    const UNCOMPILED = /^Failed to compile json grammar: .*uniqueItems/
    const captured = (name: string): string =>
      readFileSync(new URL(`./sglang/captured/${name}.sse`, import.meta.url), 'utf8')
    const engineOf = (body: string, status = 200) =>
      createSglangEngine({
        url: 'http://a.invalid',
        contextSize: 4096,
        fetch: async () => new Response(body, { status }),
      })

    async function given(body: string, status?: number): Promise<{ tokens: unknown[]; error: unknown }> {
      const tokens: unknown[] = []
      try {
        for await (const chunk of engineOf(body, status).generate([1])) tokens.push(...[chunk].flat())
      } catch (error) {
        return { tokens, error }
      }
      return { tokens, error: undefined }
    }

    test.each([
      ['refused-schema', 'invalid_prompt', UNCOMPILED],
      ['refused-schema-incremental', 'invalid_prompt', UNCOMPILED],
      ['prompt-of-4095', 'context_length_exceeded', /^Input length \(4095 tokens\) exceeds the maximum allowed length/],
      ['prompt-of-4106', 'context_length_exceeded', /^The input \(4106 tokens\) is longer than the model's context/],
    ])(
      'SGLang that refuses a call fails in its own words, and its made-up token is not given: %s',
      async (name, code, words) => {
        const { tokens, error } = await given(captured(name))
        expect(tokens).toEqual([])
        expect(error).toMatchObject({ name: 'EngineError', code, message: expect.stringMatching(words), status: 400 })
      },
    )

    test('SGLang that refuses a call outside of a stream fails alike', async () => {
      const { tokens, error } = await given('{"error":{"message":"Failed to compile json grammar: uniqueItems"}}', 400)
      expect([tokens, error]).toMatchObject([
        [],
        { code: 'invalid_prompt', message: expect.stringMatching(UNCOMPILED) },
      ])
    })

    test.each([
      ['a stop token', 200002],
      ['a word', 13225],
      ['a half of a character', 94570],
    ])('SGLang that refuses a call after tokens gives nothing of the refusal: %s', async (_, id) => {
      const refused = { type: 'abort', message: 'Out of memory.', status_code: 500, err_type: null }
      for (const ids of [[5, id], [id]]) {
        const { tokens, error } = await given([event([5], 1), event(ids, 2, refused)].map(frame).join(''))
        expect([tokens, error]).toMatchObject([[5], { code: 'server_error', message: 'Out of memory.', status: 500 }])
      }
    })

    test('SGLang that was told to abort gives all that it had sampled, and then the error', async () => {
      const { tokens, error } = await given(captured('aborted'))
      expect(tokens.slice(-2)).toEqual([116204, 17265])
      expect(error).toMatchObject({ code: 'server_error', message: 'Aborted' })
      expect(error).not.toHaveProperty('status', 400)
    })

    test.each(['refused-schema', 'refused-schema-incremental'])(
      'a response whose schema SGLang refuses fails without a word of text: %s',
      async (name) => {
        const schema = { type: 'object', properties: {}, additionalProperties: false }
        const text = { format: { type: 'json_schema' as const, name: 'list', schema, strict: true } }
        const engine = engineOf(captured(name))
        const tokenTable = await loadTokenTable()
        const events = respond({ input: 'Hi', text }, { engine, tokenTable, onError: () => {} })
        const response = await collectResponse(events)
        expect(response).toMatchObject({ status: 'failed', error: { code: 'invalid_prompt' }, output: [] })
        expect(response.error?.message).toMatch(UNCOMPILED)
        expect(response.usage?.output_tokens ?? 0).toBe(0)
      },
    )
  })
})
