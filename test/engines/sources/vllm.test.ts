import { readFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { markerId } from '../../../src/core/harmony/vocabulary.js'
import { createVllmEngine as createCheckedVllmEngine } from '../../../src/engines/sources/vllm.js'
import { planPieces, type SourcePlan } from '../../../src/judge/conformance/check-source.js'
import { httpEngineLaws } from '../../support/http-engine-laws.js'
import { readTokens } from '../../support/read-tokens.js'
import { frame, refuse, scriptedServer, stream } from '../../support/scripted-server.js'

/** The check of the model has separate tests: here each request is one of the test. */
const createVllmEngine: typeof createCheckedVllmEngine = (options) =>
  createCheckedVllmEngine(Object.assign({ checkModel: false, structuredOutputs: 'guidance' }, options))

const ABOUT = { id: 'cmpl-1', object: 'text_completion', created: 1_790_000_000, model: 'openai/gpt-oss-20b' }
const USAGE = { ...ABOUT, choices: [], usage: { prompt_tokens: 2, total_tokens: 5, completion_tokens: 3 } }

/** A chunk as `CompletionStreamResponse` is serialized: unset fields are left out. */
function chunk(token_ids: readonly number[], more: object = {}, index = 1) {
  const choice = { index: 0, text: '', logprobs: null, finish_reason: null, stop_reason: null, ...more }
  return { ...ABOUT, choices: [{ ...choice, prompt_token_ids: index === 0 ? [200006, 173781] : null, token_ids }] }
}

function frames(plan: SourcePlan): unknown[] {
  const pieces = planPieces(plan)
  const last = pieces.length - 1
  const chunks = pieces.map((ids, index) => {
    // The first end-of-sequence token of the model gives no stop reason.
    const stop_reason = ids.at(-1) === 200002 ? null : ids.at(-1)
    const isStop = plan.ending === 'stop' && index === last
    return chunk(ids, isStop ? { finish_reason: 'stop', stop_reason } : {}, index)
  })
  if (plan.ending === 'hang') return chunks
  if (plan.ending === 'error') {
    const error = { message: 'Internal server error', type: 'InternalServerError', param: null, code: 500 }
    return [...chunks, { error }]
  }
  const length = plan.ending === 'length' ? [chunk([], { finish_reason: 'length' })] : []
  return [...chunks, ...length, USAGE, '[DONE]']
}

httpEngineLaws({
  name: 'vLLM',
  create: createVllmEngine,
  frames,
  generatePath: '/v1/completions',
  healthPath: '/health',
  tooLong: {
    status: 400,
    body: {
      error: {
        message: "This model's maximum context length is 8192 tokens. However, your request has 9000 input tokens.",
        type: 'BadRequestError',
        param: 'input_tokens',
        code: 400,
      },
    },
    words: "This model's maximum context length is 8192 tokens. However, your request has 9000 input tokens.",
  },
  context: {
    path: '/v1/models',
    of: (max_model_len) => ({ object: 'list', data: [{ id: 'openai/gpt-oss-20b', max_model_len }] }),
    unknown: { object: 'list', data: [{ id: 'openai/gpt-oss-20b' }] },
  },
  constraints: ['json_schema', 'regex', 'lark', 'gbnf'],
  constrained(body) {
    const { structured_outputs, bad_words = [] } = Object(body) as Body
    return {
      constraint: structured_outputs,
      banned: new Set(bad_words.map((word) => markerId(word.slice(2, -2)) ?? 0)),
    }
  },
})

interface Body {
  readonly structured_outputs?: unknown
  readonly bad_words?: readonly string[]
}

describe('vLLM', () => {
  const server = scriptedServer()
  const HELLO = frames({ tokens: [13225, 200012], cuts: [1], ending: 'stop', reader: { does: 'reads on' } })

  test('vLLM is asked for token ids, with nothing left to the defaults of the server', async () => {
    const { url, asked } = server.script(stream(HELLO))
    const engine = createVllmEngine({ url: `${url}/v1`, model: 'openai/gpt-oss-20b' })
    await readTokens(
      engine.generate([1, 2], {
        maxTokens: 7,
        logprobs: 3,
        cacheSalt: 'ann',
        sampling: { topK: 5, seed: -1, topP: 0 },
      }),
    )
    expect(asked[0]?.body).toEqual({
      model: 'openai/gpt-oss-20b',
      prompt: [1, 2],
      max_tokens: 7,
      temperature: 1,
      top_p: 1e-6,
      top_k: 5,
      min_p: 0,
      seed: -1,
      stop_token_ids: [200002, 200012, 199999],
      skip_special_tokens: false,
      logprobs: 3,
      return_tokens_as_token_ids: true,
      cache_salt: 'ann',
      return_token_ids: true,
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  test.each([
    [{ jsonSchema: { type: 'boolean' } }, { grammar: 'root ::= value-0\nvalue-0 ::= "true" | "false"\n' }],
    [{ regex: '[a-z]+' }, { regex: '[a-z]+' }],
    [{ grammar: 'start: "a"', syntax: 'lark' }, { grammar: 'start: "a"' }],
    [{ grammar: 'root ::= "a"', syntax: 'gbnf' }, { grammar: 'root ::= "a"' }],
  ] as const)('vLLM is sent the constraint %j as structured_outputs', async (constraint, structured_outputs) => {
    const { url, asked } = server.script(stream(HELLO))
    await readTokens(createVllmEngine({ url }).generate([1], { constraint, maxTokens: 5, logprobs: 0 }))
    expect(asked[0]?.body).toMatchObject({ structured_outputs, logprobs: 0, stop_token_ids: [200002, 200012, 199999] })
  })

  test('vLLM is sent fewer banned words than its limit of 128, each as a special token is spelled', async () => {
    const { url, asked } = server.script(stream(HELLO))
    await readTokens(createVllmEngine({ url }).generate([1], { constraint: { regex: 'a' }, maxTokens: 5 }))
    const { bad_words = [] } = Object(asked[0]?.body) as Body
    expect(bad_words).toContain('<|end|>')
    expect(bad_words.length).toBeLessThan(128 / 2)
    for (const word of bad_words) expect(markerId(word.slice(2, -2))).toBeGreaterThanOrEqual(199998)
  })

  test('vLLM reports the counts', async () => {
    const usage = { prompt_tokens: 20, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 16 } }
    const { url } = server.script(stream([...HELLO.slice(0, 2), { ...ABOUT, choices: [], usage }, '[DONE]']))
    const { end } = await readTokens(createVllmEngine({ url }).generate([1], { maxTokens: 5 }))
    expect(end).toEqual({ reason: 'stop', usage: { inputTokens: 20, cachedTokens: 16 } })
  })

  test('vLLM gives log-probabilities, the likeliest tokens first, as many as were asked for', async () => {
    const logprobs = {
      text_offset: [0, 5],
      tokens: ['token_id:13225', 'token_id:2375'],
      token_logprobs: [-1.5, -0.25],
      top_logprobs: [
        { 'token_id:13225': -1.5, 'token_id:5': -0.5, 'token_id:7': -1 },
        { 'token_id:2375': -0.25, 'token_id:9': -9999 },
      ],
    }
    const answer = [chunk([13225, 2375], { logprobs }), chunk([200002], { finish_reason: 'stop' }), '[DONE]']
    const { url } = server.script(stream(answer))
    const { tokens } = await readTokens(createVllmEngine({ url }).generate([1], { logprobs: 2, maxTokens: 5 }))
    expect(tokens).toEqual([
      {
        id: 13225,
        logprob: -1.5,
        topLogprobs: [
          { id: 5, logprob: -0.5 },
          { id: 7, logprob: -1 },
        ],
      },
      {
        id: 2375,
        logprob: -0.25,
        topLogprobs: [
          { id: 2375, logprob: -0.25 },
          { id: 9, logprob: -9999 },
        ],
      },
      200002,
    ])
  })

  test('vLLM puts a stop token back that it keeps for itself', async () => {
    const { url } = server.script(
      stream([chunk([13225]), chunk([], { finish_reason: 'stop', stop_reason: 200012 }), '[DONE]']),
    )
    const { tokens, end } = await readTokens(createVllmEngine({ url }).generate([1], { maxTokens: 5 }))
    expect(tokens).toEqual([13225, 200012])
    expect(end).toEqual({ reason: 'stop' })
  })

  test('vLLM is not waited for if its counts do not come, nor an end', async () => {
    const said = [chunk([13225]), chunk([200002], { finish_reason: 'stop' })]
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(said.map(frame).join(''))),
    })
    const engine = createVllmEngine({ url: 'http://a.invalid', fetch: async () => new Response(body) })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const call = engine.generate([1], { maxTokens: 5 })
      expect([(await call.next()).value, (await call.next()).value]).toEqual([[13225], [200002]])
      const end = call.next()
      await vi.advanceTimersByTimeAsync(5000)
      expect(await end).toEqual({ done: true, value: { reason: 'stop' } })
    } finally {
      vi.useRealTimers()
    }
  })

  test('vLLM may have a URL that ends in /v1, with a query after it', async () => {
    let asked = ''
    const fetch = async (url: unknown) => {
      asked = String(url)
      return new Response(HELLO.map(frame).join(''))
    }
    await readTokens(createVllmEngine({ url: 'http://a.invalid/b/v1/?key=1', fetch }).generate([1], { maxTokens: 5 }))
    expect(asked).toBe('http://a.invalid/b/v1/completions?key=1')
  })

  test('vLLM fails if it aborts the call', async () => {
    const { url } = server.script(stream([chunk([13225]), chunk([], { finish_reason: 'abort' })]))
    const call = createVllmEngine({ url }).generate([1], { maxTokens: 5 })
    await call.next()
    await expect(call.next()).rejects.toMatchObject({ code: 'server_error', message: 'vLLM ended the call: abort' })
  })

  test('vLLM is too old if it knows no token ids', async () => {
    const { url } = server.script(stream([{ ...ABOUT, choices: [{ index: 0, text: 'Hello', finish_reason: null }] }]))
    await expect(createVllmEngine({ url }).generate([1], { maxTokens: 5 }).next()).rejects.toThrow(
      'vLLM: choices[0].token_ids: expected an array of token ids (vLLM 0.10.2 or later), got undefined',
    )
  })

  test('vLLM may ask for a try at a date', async () => {
    const waits: number[] = []
    const date = new Date(Date.now() + 20_000).toUTCString()
    const { url } = server.script(refuse(503, { error: 'loading' }, { 'retry-after': date }), stream(HELLO))
    const engine = createVllmEngine({ url, delay: async (ms) => void waits.push(ms) })
    await readTokens(engine.generate([1], { maxTokens: 5 }))
    expect(waits).toHaveLength(1)
    expect(waits[0]).toBeGreaterThan(0)
    expect(waits[0]).toBeLessThanOrEqual(20_000)
  })

  describe('without maxTokens', () => {
    const MODELS = {
      object: 'list',
      data: [
        { id: 'a', max_model_len: 100 },
        { id: 'b', max_model_len: 10 },
      ],
    }

    test('vLLM without maxTokens uses the rest of the context, and asks for its size once', async () => {
      const { url, asked } = server.script(refuse(200, MODELS), stream(HELLO))
      const engine = createVllmEngine({ url, model: 'b' })
      await readTokens(engine.generate([1, 2, 3]))
      await readTokens(engine.generate(Array(20).fill(1)))
      expect(asked.map(({ path }) => path)).toEqual(['/v1/models', '/v1/completions', '/v1/completions'])
      expect(asked[1]?.body).toMatchObject({ max_tokens: 7 })
      expect(asked[2]?.body).toMatchObject({ max_tokens: 1 })
    })

    test.each([Number.NaN, Number.POSITIVE_INFINITY, 1e300, 0, 1.5])(
      'an engine over vLLM refuses a context size of %d',
      (contextSize) => {
        expect(() => createVllmEngine({ url: 'http://a', contextSize })).toThrow('contextSize: expected a whole number')
      },
    )

    test('vLLM without maxTokens reads 4 Mi characters of the list of models, and no more', async () => {
      let isCancelled = false
      const body = new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(65536).fill(32)),
        cancel: () => {
          isCancelled = true
        },
      })
      const engine = createVllmEngine({ url: 'http://a.invalid', fetch: async () => new Response(body) })
      await expect(engine.generate([1]).next()).rejects.toMatchObject({
        code: 'server_error',
        message: 'expected at most 4194304 characters from http://a.invalid/v1/models, got more',
      })
      expect(isCancelled).toBe(true)
    })

    test('vLLM without maxTokens asks again if the list of models breaks off', async () => {
      const half = new ReadableStream({ start: (controller) => controller.error(new Error('gone')) })
      const answers = [new Response(half), Response.json(MODELS), new Response(HELLO.map(frame).join(''))]
      const fetch = async () => answers.shift() ?? expect.unreachable()
      const engine = createVllmEngine({ url: 'http://a.invalid', fetch, delay: async () => {} })
      expect((await readTokens(engine.generate([1]))).tokens).toEqual([13225, 200012])
    })

    test('vLLM without maxTokens fails if the list of models is invalid', async () => {
      const fetch = async () => new Response('<html>')
      await expect(createVllmEngine({ url: 'http://a.invalid', fetch }).generate([1]).next()).rejects.toThrow(
        'vLLM: expected a list of models, got undefined',
      )
    })

    test('vLLM without maxTokens asks for the size no more once capabilities() told it', async () => {
      const { url, asked } = server.script(refuse(200, MODELS), stream(HELLO))
      const engine = createVllmEngine({ url, model: 'b' })
      expect(await engine.capabilities?.()).toMatchObject({ contextLength: 10 })
      await readTokens(engine.generate([1, 2, 3]))
      expect(asked.map(({ path }) => path)).toEqual(['/v1/models', '/v1/completions'])
    })

    test('vLLM without maxTokens is asked for its size again after a refused call, but not if the size is given', async () => {
      const grown = { object: 'list', data: [{ id: 'b', max_model_len: 20 }] }
      const refusal = refuse(400, { error: { message: 'max_tokens is too large', code: 400 } })
      const { url, asked } = server.script(refuse(200, MODELS), refusal, refuse(200, grown), stream(HELLO))
      const engine = createVllmEngine({ url, model: 'b' })
      await expect(readTokens(engine.generate([1, 2, 3]))).rejects.toMatchObject({ code: 'invalid_prompt' })
      await readTokens(engine.generate([1, 2, 3]))
      expect(asked.map(({ path }) => path)).toEqual([
        ...['/v1/models', '/v1/completions'],
        ...['/v1/models', '/v1/completions'],
      ])
      expect(asked[3]?.body).toMatchObject({ max_tokens: 17 })
      const given = server.script(refusal, stream(HELLO))
      const sized = createVllmEngine({ url: given.url, model: 'b', contextSize: 10 })
      await expect(readTokens(sized.generate([1, 2, 3]))).rejects.toMatchObject({ code: 'invalid_prompt' })
      await readTokens(sized.generate([1, 2, 3]))
      expect(given.asked.map(({ body }) => Object(body).max_tokens)).toEqual([7, 7])
    })

    test('vLLM without maxTokens is given the size', async () => {
      const { url, asked } = server.script(stream(HELLO))
      await readTokens(createVllmEngine({ url, contextSize: 50 }).generate([1]))
      expect(asked[0]?.body).toMatchObject({ max_tokens: 49 })
    })

    test('vLLM, which refuses a limit above its context, is asked for what fits', async () => {
      const { url, asked } = server.script(refuse(200, MODELS), stream(HELLO))
      const engine = createVllmEngine({ url, model: 'a' })
      // So few tokens fit any context: the size is not requested.
      const small = server.script(stream(HELLO))
      await readTokens(createVllmEngine({ url: small.url }).generate([1], { maxTokens: 90 }))
      await readTokens(engine.generate([1, 2, 3], { maxTokens: 128_000 }))
      await readTokens(engine.generate([1, 2, 3], { maxTokens: 98 }))
      await readTokens(engine.generate([1, 2, 3], { maxTokens: 96 }))
      const limits = asked.slice(1).map(({ body }) => (body as { max_tokens: number }).max_tokens)
      expect([small.asked.length, limits]).toEqual([1, [97, 97, 96]])
    })

    test('vLLM without maxTokens fails if the server does not report the size', async () => {
      const { url } = server.script(refuse(200, { object: 'list', data: [{ id: 'a' }] }))
      await expect(createVllmEngine({ url }).generate([1]).next()).rejects.toThrow(
        'expected a max_model_len for a model in /v1/models, got none: set contextSize (serve --context-size) or maxTokens',
      )
    })
  })

  // As a real server answered, byte for byte.
  test.each([
    ['refused-regex.sse', 200, 'invalid_prompt', /^Grammar error: regex parse error:/],
    ['prompt-of-4096.txt', 400, 'context_length_exceeded', /^max_tokens must be at least 1, got 0/],
    ['prompt-of-4106.txt', 400, 'context_length_exceeded', /^This model's maximum context length is 4096 tokens/],
  ])('vLLM that refuses a call fails in its own words: %s', async (name, status, code, message) => {
    const body = readFileSync(new URL(`./vllm/captured/${name}`, import.meta.url), 'utf8')
    const fetch = async () => new Response(body, { status })
    const call = createVllmEngine({ url: 'http://a.invalid', contextSize: 4, fetch }).generate([1, 2, 3, 4])
    await expect(call.next()).rejects.toMatchObject({
      ...{ name: 'EngineError', code, status: 400 },
      message: expect.stringMatching(message),
    })
  })
})
