import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bearerKeys, type Metric, type ResponsesAppOptions } from '../../../src/endpoint/server/index.js'
import { PASSED_PATHS, type ServedEngine } from '../../../src/engines/contract/engine-server.js'
import { createSglangEngine } from '../../../src/engines/sources/sglang.js'
import { createVllmEngine } from '../../../src/engines/sources/vllm.js'
import { runs } from '../../support/runs.js'
import { byName, type Endpoint, endpoint, JSON_TYPE } from './endpoint.js'
import { json, upstream } from './passed-upstream.js'

const VECTORS = { object: 'list', data: [{ object: 'embedding', index: 0, embedding: [0.5, -1] }], model: 'e' }
const KEY = 'the-key-of-the-engine'

/** An endpoint that passes all paths on. */
function passing(engine: ServedEngine, options: Partial<ResponsesAppOptions> = {}): Endpoint {
  return endpoint(engine, { passOn: { server: engine.server, paths: PASSED_PATHS }, ...options })
}

const post = (to: Endpoint, path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  to.send(path, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) })

describe('a request that is passed on', () => {
  test.each(PASSED_PATHS)('%s is answered by the server of the engine', async (path) => {
    const { engine, reached } = await upstream(json(VECTORS))
    const answer = await post(passing(engine), path, { input: 'Hi', 'a field of no API': [1, { a: null }] })
    expect([answer.status, await answer.json()]).toEqual([200, VECTORS])
    expect(reached).toMatchObject([
      { method: 'POST', url: path, json: { input: 'Hi', 'a field of no API': [1, { a: null }] } },
    ])
  })

  test('no path is passed on that the host does not name', async () => {
    const { engine, reached } = await upstream(json(VECTORS))
    const some = passing(engine, { passOn: { server: engine.server, paths: ['/v1/embeddings'] } })
    for (const to of [endpoint(engine), some]) {
      for (const path of PASSED_PATHS.slice(1)) {
        const answer = await post(to, path, {})
        expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: 'unknown_url' } }])
      }
    }
    expect(reached).toEqual([])
  })

  test.each(['', '/openai/v1'])(
    'the paths of the API are below basePath %j, and /tokenize is at the root',
    async (basePath) => {
      const { engine, reached } = await upstream(json(VECTORS))
      const to = passing(engine, { basePath })
      expect((await post(to, `${basePath}/embeddings`, {})).status).toBe(200)
      expect((await post(to, '/tokenize', {})).status).toBe(200)
      expect(reached.map(({ url }) => url)).toEqual(['/v1/embeddings', '/tokenize'])
    },
  )

  test('the base path of the engine is kept, and its /v1 is not doubled', async () => {
    const { url, reached } = await upstream(json(VECTORS))
    await post(passing(createVllmEngine({ url: `${url}/behind/v1?tenant=7` })), '/v1/embeddings', {})
    expect(reached.map((one) => one.url)).toEqual(['/behind/v1/embeddings?tenant=7'])
  })

  test('any JSON object reaches the engine as it is', async () => {
    const { engine, reached } = await upstream(json(VECTORS))
    const to = passing(engine)
    // Numbers at the top are checked below, and the engine's own names of models are asked for.
    const value = fc.jsonValue().map((given) => [given])
    const body = fc.dictionary(
      fc.string().filter((name) => name !== 'model'),
      value,
    )
    await fc.assert(
      fc.asyncProperty(body, async (given) => {
        await post(to, '/v1/completions', given)
        expect(reached.at(-1)?.json).toEqual(JSON.parse(JSON.stringify(given)))
      }),
      { numRuns: runs(50) },
    )
  })
})

describe('who may have requests passed on', () => {
  test.each(PASSED_PATHS)('%s needs a key of the endpoint', async (path) => {
    const { engine, reached } = await upstream(json(VECTORS), { apiKey: KEY })
    const to = passing(engine, { authorize: bearerKeys({ 'a-key-of-sixteen-characters': 'alice' }) })
    for (const authorization of ['', `Bearer ${KEY}`]) {
      const answer = await post(to, path, {}, { authorization })
      expect([answer.status, await answer.json()]).toMatchObject([401, { error: { code: 'invalid_api_key' } }])
    }
    expect(reached).toEqual([])
    expect((await post(to, path, {}, { authorization: 'Bearer a-key-of-sixteen-characters' })).status).toBe(200)
  })

  test.each(PASSED_PATHS)('%s refuses hosts and sites that are not allowed', async (path) => {
    const { engine, reached } = await upstream(json(VECTORS))
    const to = passing(engine, { hosts: ['localhost'], origins: ['https://chat.example.com'] })
    const sent = { host: 'evil.example.com' } as const
    expect((await post(to, path, {}, sent)).status).toBe(403)
    expect((await post(to, path, {}, { origin: 'https://evil.example.com' })).status).toBe(403)
    expect(reached).toEqual([])
    const asked = await to.send(path, { method: 'OPTIONS', headers: { origin: 'https://chat.example.com' } })
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, 'https://chat.example.com'])
  })
})

describe('headers of a request that is passed on', () => {
  test('no header of the client reaches the engine but a trace context, and the key is that of the engine', async () => {
    const { engine, reached } = await upstream(json(VECTORS), { apiKey: KEY })
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await post(
      passing(engine),
      '/v1/embeddings',
      {},
      {
        ...{ authorization: 'Bearer alice', 'x-api-key': 'alice', cookie: 'a=b', traceparent, tracestate: 'a=b' },
        ...{ 'x-forwarded-for': '10.0.0.1', 'accept-encoding': 'gzip', 'user-agent': 'theirs', 'openai-project': 'p' },
        ...{ 'proxy-authorization': 'Basic YTpi', te: 'trailers', 'x-request-id': 'theirs', 'idempotency-key': 'k' },
      },
    )
    const { host: _, connection: __, 'content-length': ___, ...headers } = reached[0]?.headers ?? {}
    expect(headers).toEqual({
      ...JSON_TYPE,
      authorization: `Bearer ${KEY}`,
      'accept-encoding': 'identity',
      traceparent,
      tracestate: 'a=b',
    })
  })

  test('the span of the request is the parent of that of the engine', async () => {
    const { engine, reached } = await upstream(json(VECTORS))
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const ignore = (): void => {}
    const span = {
      trace: { traceparent },
      set: ignore,
      rename: ignore,
      fail: ignore,
      run: <T>(work: () => T) => work(),
      end: ignore,
    }
    const to = passing(engine, { tracing: { start: () => span } })
    const theirs = { traceparent: '00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }
    await post(to, '/v1/embeddings', {}, theirs)
    expect(reached[0]?.headers['traceparent']).toBe(traceparent)
  })

  test('no header of the engine reaches the client', async () => {
    const theirs = {
      ...{ 'set-cookie': 'session=1', 'x-api-key': KEY, server: 'uvicorn', 'x-request-id': 'theirs' },
      ...{ 'access-control-allow-origin': '*', 'content-length': '2', 'keep-alive': 'timeout=5' },
      ...{ location: 'http://10.0.0.1/', 'openai-processing-ms': '5', 'cache-control': 'public' },
    }
    for (const type of ['application/json', 'text/event-stream']) {
      const { engine } = await upstream(json('{}', 200, { ...theirs, 'content-type': type }), { apiKey: KEY })
      const answer = await post(passing(engine), '/v1/embeddings', {})
      const { 'x-request-id': id, ...headers } = Object.fromEntries(answer.headers)
      expect(id).toMatch(/^req_/)
      expect(headers).toEqual({
        'content-type': type === 'application/json' ? type : 'text/event-stream; charset=utf-8',
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
      })
    }
  })

  test('a compressed answer is an error, because the engine was asked for none', async () => {
    const packed = gzipSync('{}')
    const { engine } = await upstream((response) => {
      response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(packed)
    })
    const to = passing(engine)
    expect((await post(to, '/v1/embeddings', {})).status).toBe(500)
    expect(to.errors).toMatchObject([{ message: expect.stringContaining('uncompressed, got "gzip"') }])
  })

  test("a fetch that undoes the engine's compression leaves no trace of it", async () => {
    const { url } = await upstream((response, request) => {
      const isPacked = String(request.headers['accept-encoding']).includes('gzip')
      response.writeHead(200, { ...JSON_TYPE, ...(isPacked && { 'content-encoding': 'gzip' }) })
      response.end(isPacked ? gzipSync('{"a":1}') : '{"a":1}')
    })
    const answer = await post(passing(createVllmEngine({ url, fetch: globalThis.fetch })), '/v1/embeddings', {})
    expect([answer.headers.get('content-encoding'), await answer.json()]).toEqual([null, { a: 1 }])
  })

  test.each(['text/html', 'application/octet-stream', ''])('an answer of type %j is an error', async (type) => {
    const { engine } = await upstream(json('<html>', 200, { 'content-type': type }))
    const to = passing(engine)
    const answer = await post(to, '/v1/embeddings', {})
    expect([answer.status, JSON.stringify(await answer.json())]).toEqual([500, expect.not.stringContaining('html')])
    expect(to.errors).toMatchObject([{ message: expect.stringContaining('expected JSON or server-sent events') }])
  })
})

describe('the body of a request that is passed on', () => {
  test.each([[[]], ['text'], [7], [null], [true]])('%j is refused: it is no object', async (body) => {
    const { engine, reached } = await upstream(json(VECTORS))
    const answer = await post(passing(engine), '/v1/embeddings', body)
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: 'invalid_type' } }])
    expect(reached).toEqual([])
  })

  test('a body that is no JSON, too large or too deep is refused before the engine is asked', async () => {
    const { engine, reached } = await upstream(json(VECTORS))
    const to = passing(engine, { limits: { bodyBytes: 300 }, request: { limits: { depth: 5 } } })
    const statusOf = async (body: string) => (await to.send('/tokenize', { method: 'POST', body })).status
    expect(await statusOf('{"prompt": ')).toBe(400)
    expect(await statusOf(JSON.stringify({ prompt: 'a'.repeat(400) }))).toBe(413)
    expect(await statusOf(`{"a":${'['.repeat(20)}${']'.repeat(20)}}`)).toBe(400)
    expect(reached).toEqual([])
  })

  test('a compressed body is decoded, and reaches the engine as plain JSON', async () => {
    const { engine, reached } = await upstream(json(VECTORS))
    const to = passing(engine)
    const sent = (coding: string) =>
      to.send('/v1/embeddings', {
        method: 'POST',
        headers: { ...JSON_TYPE, 'content-encoding': coding },
        body: gzipSync('{"input":"Hi"}'),
      })
    expect((await sent('gzip')).status).toBe(200)
    expect((await sent('compress')).status).toBe(415)
    expect(reached.map(({ json: body, headers }) => [body, headers['content-encoding']])).toEqual([
      [{ input: 'Hi' }, undefined],
    ])
  })

  test('a number that JavaScript would round is refused', async () => {
    const { engine, reached } = await upstream(json(VECTORS))
    const to = passing(engine)
    const statusOf = async (seed: string) => {
      const answer = await to.send('/v1/completions', { method: 'POST', body: `{"seed":${seed}}` })
      return [answer.status, (await answer.json()).error?.param]
    }
    for (const seed of ['9007199254740993', '-9007199254740993', '1e400']) {
      expect(await statusOf(seed)).toEqual([400, 'seed'])
    }
    expect(await statusOf('9007199254740991')).toEqual([200, undefined])
    expect(reached.map((one) => one.body)).toEqual(['{"seed":9007199254740991}'])
  })

  test('a name that comes twice reaches the engine once', async () => {
    const { engine, reached } = await upstream(json(VECTORS))
    await passing(engine).send('/v1/embeddings', { method: 'POST', body: '{"input":"a","input":"b"}' })
    expect(reached.map((one) => one.body)).toEqual(['{"input":"b"}'])
  })

  test('no query reaches the engine', async () => {
    const { engine, reached } = await upstream(json(VECTORS))
    const to = passing(engine)
    for (const path of ['/v1/embeddings?api-version=1&model=x', '/v1/embeddings?%2f..%2fadmin', '/tokenize?#/v1/x']) {
      expect((await post(to, path, {})).status).toBe(200)
    }
    expect(reached.map(({ url }) => url)).toEqual(['/v1/embeddings', '/v1/embeddings', '/tokenize'])
  })
})

describe('the model of a request that is passed on', () => {
  const served = { models: ['gpt-oss', 'chat'] }

  async function sentModels(given: readonly unknown[], models: readonly string[], options = {}): Promise<unknown[]> {
    const { engine, reached } = await upstream(json(VECTORS), { models, ...options })
    const to = passing(engine, served)
    for (const model of given) await post(to, '/v1/completions', model === undefined ? {} : { model })
    return reached.map(({ json: body }) => body.model)
  }

  test("a name or an alias of the endpoint becomes that of the engine's own model", async () => {
    const given = ['gpt-oss', 'chat', 'claude-gpt-oss', 'claude-chat']
    const own = 'openai/gpt-oss-20b'
    expect(await sentModels(given, [own, 'an-adapter'])).toEqual([own, own, own, own])
  })

  test('a name that the engine has is kept, and so is one that nobody here knows', async () => {
    const given = ['chat', 'nomic-embed', '', 7, undefined]
    expect(await sentModels(given, ['openai/gpt-oss-20b', 'chat'])).toEqual(['chat', 'nomic-embed', '', 7, undefined])
  })

  test("the engine's own model is the one that its options name", async () => {
    expect(await sentModels(['gpt-oss'], ['a', 'b'], { model: 'b' })).toEqual(['b'])
  })

  test('a name stays if the engine lists no models', async () => {
    expect(await sentModels(['gpt-oss'], [])).toEqual(['gpt-oss'])
  })

  test('the engine is asked for its models once, and again after it failed', async () => {
    let status = 200
    const { engine, listed } = await upstream((response, ...rest) => json({}, status)(response, ...rest))
    const to = passing(engine, served)
    const ask = () => post(to, '/v1/completions', { model: 'chat' })
    for (let at = 0; at < 3; at++) await ask()
    expect(listed()).toBe(1)
    status = 500
    await ask()
    await ask()
    expect(listed()).toBe(2)
  })
})

describe('the prefix cache of requests that are passed on', () => {
  async function saltsOf(
    makeEngine: (url: string) => ServedEngine,
    owner: string,
    body: object,
    options: Partial<ResponsesAppOptions> = {},
  ): Promise<unknown[]> {
    const { url, reached } = await upstream(json(VECTORS))
    const to = passing(makeEngine(url), { authorize: byName, ...options })
    await post(to, '/v1/completions', body, { authorization: `Bearer ${owner}` })
    const { cache_salt, extra_key } = reached[0]?.json ?? {}
    return [cache_salt, extra_key]
  }
  const vllm = (url: string) => createVllmEngine({ url })
  const sglang = (url: string) => createSglangEngine({ url })
  const forged = { cache_salt: 'of-bob', extra_key: 'of-bob' }

  test('each owner has its own, whatever salt a client names', async () => {
    const [alice] = await saltsOf(vllm, 'alice', forged)
    expect(alice).toMatch(/^[\da-f]{64}$/)
    expect(await saltsOf(vllm, 'alice', forged)).toEqual([alice, undefined])
    expect(await saltsOf(sglang, 'alice', forged)).toEqual([undefined, alice])
    expect(await saltsOf(vllm, 'bob', {})).not.toEqual([alice, undefined])
  })

  test('clients choose the salt where owners share the cache, or have no keys', async () => {
    expect(await saltsOf(vllm, 'alice', forged, { sharedPrefixCache: true })).toEqual(['of-bob', 'of-bob'])
    expect(await saltsOf(vllm, 'anonymous', forged)).toEqual(['of-bob', 'of-bob'])
  })
})

describe('an engine that refuses what is passed on', () => {
  async function answerTo(status: number, body: unknown, headers = {}, model?: string) {
    const { engine, url } = await upstream(json(body, status, headers), { apiKey: KEY, retries: 0 })
    const to = passing(engine)
    const answer = await post(to, '/v1/embeddings', { input: 'Hi', ...(model !== undefined && { model }) })
    const text = await answer.text()
    expect(text).not.toContain(KEY)
    expect(text).not.toContain(url)
    return { status: answer.status, headers: answer.headers, error: JSON.parse(text).error, errors: to.errors }
  }
  const words = (message: string) => ({ error: { message, type: 'BadRequestError', code: 400 } })

  test.each([400, 422])('%s is 400 with the words of the engine', async (status) => {
    const { error, ...answer } = await answerTo(status, words('input: expected a text'))
    expect([answer.status, error]).toMatchObject([400, { message: 'input: expected a text', code: 'invalid_prompt' }])
  })

  test('words of the engine that repeat its key are shown without it', async () => {
    const { error } = await answerTo(400, words(`got Bearer ${KEY}`))
    expect(error.message).toBe('got Bearer [hidden]')
  })

  test.each([401, 403])('%s is no fault of the key of the client', async (status) => {
    const { error, errors, ...answer } = await answerTo(status, words('Invalid API key'))
    expect([answer.status, error]).toMatchObject([500, { message: 'The server had an internal error.' }])
    expect(errors).toMatchObject([{ message: 'Invalid API key' }])
  })

  test.each([
    [404, 'nomic', 'model_not_found', "The engine has no model 'nomic', or no /v1/embeddings."],
    [404, undefined, 'unknown_url', 'The engine does not answer /v1/embeddings.'],
    [405, 'nomic', 'unknown_url', 'The engine does not answer /v1/embeddings.'],
    [501, 'nomic', 'unknown_url', 'The engine does not answer /v1/embeddings.'],
  ])('%s for the model %j is 404 %s', async (status, model, code, message) => {
    const { error, errors, ...answer } = await answerTo(status, { detail: 'Not Found' }, {}, model)
    expect([answer.status, error]).toMatchObject([404, { code, message }])
    // What the operator can mend is told in the words of the engine.
    const isTold = errors.some((told) => String(told).includes('Not Found'))
    expect(isTold).toBe(code === 'unknown_url')
  })

  test.each([429, 503])('%s may be tried again', async (status) => {
    const { headers, ...answer } = await answerTo(status, words('busy'))
    expect([answer.status, headers.get('retry-after')]).toEqual([status, '1'])
  })

  test.each([500, 418])('%s is a failure that names no details', async (status) => {
    const { error, errors, ...answer } = await answerTo(status, words('CUDA error in /srv/vllm'))
    expect([answer.status, error]).toMatchObject([500, { message: 'The server had an internal error.' }])
    expect(errors).toHaveLength(1)
  })

  test('an engine that is down is 503', async () => {
    const { engine, close } = await upstream(json(VECTORS), { retries: 0 })
    await close()
    const to = passing(engine)
    for (const body of [{}, { model: 'gpt-oss' }]) {
      const answer = await post(to, '/v1/embeddings', body)
      expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toMatchObject([
        503,
        '1',
        { error: { code: 'server_is_overloaded' } },
      ])
    }
    expect(to.errors).toHaveLength(2)
  })
})

test('a request that is passed on is observed like any other, and takes a place meanwhile', async () => {
  const metrics: Metric[] = []
  const { engine } = await upstream(json(VECTORS))
  const to = passing(engine, { onMetric: (metric) => void metrics.push(metric) })
  await (await post(to, '/v1/embeddings', { input: 'Hi' }, { authorization: 'Bearer alice' })).text()
  const ended = metrics.find(({ type }) => type === 'request_ended')
  expect(ended).toMatchObject({
    method: 'POST',
    route: '/v1/embeddings',
    status: 200,
    owner: 'alice',
    isAborted: false,
  })
  const loads = metrics.flatMap((metric) => (metric.type === 'load_changed' ? [metric.running] : []))
  expect(loads).toEqual([1, 0])
  expect(to.service.memory.by).toMatchObject({ body: 0, reader: 0 })
})
