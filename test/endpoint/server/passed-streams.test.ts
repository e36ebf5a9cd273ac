import { type IncomingMessage, request } from 'node:http'
import fc from 'fast-check'
import OpenAI from 'openai'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { ResponsesAppOptions } from '../../../src/endpoint/server/index.js'
import { type ResponsesServer, serveResponses } from '../../../src/endpoint/server/node.js'
import { type EngineServer, PASSED_PATHS, type ServedEngine } from '../../../src/engines/contract/engine-server.js'
import { createVllmEngine } from '../../../src/engines/sources/vllm.js'
import { runs } from '../../support/runs.js'
import { endpoint, JSON_TYPE, tokenTable, until } from './endpoint.js'
import { json, upstream } from './passed-upstream.js'

const servers: ResponsesServer[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const server of servers.splice(0)) await server.close({ graceMs: 0 })
})

const errors: unknown[] = []
afterEach(() => void errors.splice(0))

/** A listening endpoint that passes all paths on. */
async function listening(passedTo: EngineServer, options: Partial<ResponsesAppOptions> = {}): Promise<ResponsesServer> {
  const server = await serveResponses({
    ...{ engine: createVllmEngine({ url: 'http://127.0.0.1:9' }), tokenTable, port: 0 },
    passOn: { server: passedTo, paths: PASSED_PATHS },
    onError: (error) => void errors.push(error),
    ...options,
  })
  servers.push(server)
  return server
}

const SSE = { 'content-type': 'text/event-stream' } as const
const FAILED =
  'data: {"error":{"message":"The server had an internal error.","type":"server_error","param":null,"code":"server_error"}}\n\n'
const STOPPING =
  'data: {"error":{"message":"The server is stopping.","type":"server_error","param":null,"code":"server_is_overloaded"}}\n\n'

/** A server whose answer is what a test says. */
interface HeldServer extends EngineServer {
  /** Resolves when a request has reached it. */
  readonly asked: Promise<void>
  /** Passes a piece on; returns whether more is taken now. */
  piece(text: string): boolean
  end(): void
  fail(error: Error): void
  readonly resumed: number
  readonly isCancelled: boolean
  /** Why the last request was aborted. */
  readonly aborted: unknown
}

function heldServer({ isStream = true, answers = true } = {}): HeldServer {
  let [resumed, isCancelled] = [0, false]
  let sink: Parameters<Awaited<ReturnType<EngineServer['post']>>['read']>[0] | undefined
  let arrive = (): void => {}
  const asked = new Promise<void>((resolve) => {
    arrive = resolve
  })
  let given: AbortSignal | undefined
  const reading = (): NonNullable<typeof sink> => {
    if (sink === undefined) throw new Error('nobody reads')
    return sink
  }
  return {
    asked,
    get resumed() {
      return resumed
    },
    get isCancelled() {
      return isCancelled
    },
    get aborted() {
      return given?.reason
    },
    piece: (text) => reading().text(text),
    end: () => reading().end(),
    fail: (error) => reading().fail(error),
    models: async () => [],
    async post(_path, _body, { signal }) {
      given = signal
      const read = (to: typeof sink): void => {
        sink = to
        arrive()
      }
      signal.addEventListener('abort', () => sink?.fail(signal.reason))
      if (!answers) {
        arrive()
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      }
      return {
        ...{ isStream, read },
        resume: () => {
          resumed += 1
        },
        cancel: () => {
          isCancelled = true
        },
      }
    },
  }
}

/** Passes pieces on until no more are taken. */
function fill(passedTo: HeldServer): void {
  let pieces = 0
  while (passedTo.piece('data: 1\n\n')) {
    pieces += 1
    if (pieces === 1_000) throw new Error('a client that reads nothing takes all')
  }
}

/** Reads a stream as text, piece by piece. */
async function* textOf({ body }: Response): AsyncGenerator<string> {
  const utf8 = new TextDecoder()
  for await (const bytes of body as ReadableStream<Uint8Array>) yield utf8.decode(bytes, { stream: true })
}

const post = (url: string, path = '/v1/completions', init: RequestInit = {}): Promise<Response> =>
  fetch(`${url}${path}`, { method: 'POST', headers: JSON_TYPE, body: '{"stream":true}', ...init })

describe('a stream that is passed on', () => {
  test('each event reaches the client before the engine has the next one', async () => {
    let send = (_text: string | undefined): void => {}
    const { engine } = await upstream((response) => {
      response.writeHead(200, SSE).flushHeaders()
      send = (text) => void (text === undefined ? response.end() : response.write(text))
    })
    const { url } = await listening(engine.server)
    const answer = await post(url)
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const reader = textOf(answer)
    for (const event of ['data: {"text":"a"}\n\n', ': a comment\n\n', 'data: [DONE]\n\n']) {
      send(event)
      expect(await reader.next()).toEqual({ done: false, value: event })
    }
    send(undefined)
    expect((await reader.next()).done).toBe(true)
  })

  test('the text stays the same, however it is cut into pieces', async () => {
    const text = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constant('data: {"a":"\u20ac\u{1f600}"}\n\n')))
    const cuts = fc.array(fc.nat({ max: 7 }), { minLength: 1 })
    let next = new Response()
    const engine = createVllmEngine({ url: 'http://engine', fetch: async () => next })
    const to = endpoint(engine, { passOn: { server: engine.server, paths: PASSED_PATHS } })
    await fc.assert(
      fc.asyncProperty(text, cuts, fc.boolean(), async (parts, sizes, isStream) => {
        const bytes = new TextEncoder().encode(parts.join(''))
        const sent = new ReadableStream<Uint8Array>({
          start(controller) {
            for (let [from, at] = [0, 0]; from < bytes.length; at++) {
              const size = 1 + (sizes[at % sizes.length] ?? 0)
              controller.enqueue(bytes.slice(from, from + size))
              from += size
            }
            controller.close()
          },
        })
        next = new Response(sent, { headers: isStream ? SSE : JSON_TYPE })
        const answer = await to.send('/v1/completions', { method: 'POST', body: '{}' })
        expect(new Uint8Array(await answer.arrayBuffer())).toEqual(bytes)
      }),
      { numRuns: runs(50) },
    )
  })

  test('the SDK of OpenAI reads embeddings and streamed completions', async () => {
    const embedding = [0.25, -0.5]
    const floats = Buffer.from(new Float32Array(embedding).buffer).toString('base64')
    const chunk = (text: string) =>
      `data: ${JSON.stringify({ object: 'text_completion', choices: [{ index: 0, text }] })}\n\n`
    const { engine, reached } = await upstream((response, asked, reach) => {
      const isStream = reach.json.stream === true
      if (isStream) return void response.writeHead(200, SSE).end(`${chunk('Par')}${chunk('is')}data: [DONE]\n\n`)
      json({ object: 'list', model: 'm', data: [{ object: 'embedding', index: 0, embedding: floats }] })(
        ...([response, asked, reach] as const),
      )
    })
    const { url } = await listening(engine.server)
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 })
    const { data } = await client.embeddings.create({ model: 'gpt-oss', input: 'Hi' })
    expect(data[0]?.embedding).toEqual(embedding)
    let text = ''
    for await (const { choices } of await client.completions.create({ model: 'x', prompt: 'Hi', stream: true })) {
      text += choices[0]?.text
    }
    expect(text).toBe('Paris')
    expect(reached.map((one) => one.json.model)).toEqual(['openai/gpt-oss-20b', 'x'])
  })
})

describe('a client that reads slowly', () => {
  test('nothing is read from the engine that the client has not taken', async () => {
    const passedTo = heldServer()
    const to = endpoint(createVllmEngine({ url: 'http://x' }), { passOn: { server: passedTo, paths: PASSED_PATHS } })
    const answer = await to.send('/v1/completions', { method: 'POST', body: '{}' })
    await passedTo.asked
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
    fill(passedTo)
    expect(passedTo.resumed).toBe(0)
    await reader.read()
    await until(() => passedTo.resumed === 1)
    await reader.cancel()
    expect(passedTo.isCancelled).toBe(true)
  })

  test('on Node, the engine is not read while the socket of the client is full', async () => {
    const passedTo = heldServer()
    const { url } = await listening(passedTo)
    const sent = request(`${url}/v1/completions`, { method: 'POST', headers: JSON_TYPE })
    const answered = new Promise<IncomingMessage>((resolve) => sent.once('response', resolve))
    sent.end('{}')
    const answer = await answered
    await passedTo.asked
    const piece = `data: ${'x'.repeat(65_528)}\n\n`
    const most = 2_000
    let pieces = 0
    // A loop without a pause, since pieces may all have arrived: 130 MB, which must not be taken.
    do pieces += 1
    while (passedTo.piece(piece) && pieces < most)
    expect(pieces).toBeLessThan(most)
    expect(passedTo.resumed).toBe(0)
    let read = 0
    answer.on('data', (chunk: Buffer) => {
      read += chunk.length
    })
    await until(() => passedTo.resumed === 1)
    passedTo.end()
    await new Promise((resolve) => answer.once('end', resolve))
    expect(read).toBe(pieces * piece.length)
  })
})

describe('a client that leaves', () => {
  function leaving({ port }: ResponsesServer) {
    const sent = request({ port, host: '127.0.0.1', path: '/v1/completions', method: 'POST', headers: JSON_TYPE })
    sent.on('error', () => {})
    const answered = new Promise((resolve) => sent.once('response', (answer) => answer.once('data', resolve)))
    sent.end('{}')
    return { answered, leave: () => void sent.destroy() }
  }

  test.each(['before the answer', 'in the middle'])(
    '%s: the request to the engine ends, and its place is free',
    async (when) => {
      let closed = (): void => {}
      const left = new Promise<void>((resolve) => {
        closed = resolve
      })
      let arrive = (): void => {}
      const arrived = new Promise<void>((resolve) => {
        arrive = resolve
      })
      const { engine } = await upstream((response) => {
        response.once('close', closed)
        if (when === 'in the middle') response.writeHead(200, SSE).write('data: 1\n\n')
        arrive()
      })
      const server = await listening(engine.server)
      const client = leaving(server)
      if (when === 'in the middle') await client.answered
      await arrived
      expect(server.service.load.running).toBe(1)
      client.leave()
      await left
      await until(() => server.service.load.running === 0)
      expect(errors).toEqual([])
    },
  )

  test('in another runtime than Node, it is no error of the host either', async () => {
    const passedTo = heldServer()
    const to = endpoint(createVllmEngine({ url: 'http://x' }), { passOn: { server: passedTo, paths: PASSED_PATHS } })
    const leave = new AbortController()
    const answer = await to.send('/v1/completions', { method: 'POST', body: '{}', signal: leave.signal })
    await passedTo.asked
    passedTo.piece('data: 1\n\n')
    leave.abort()
    await expect(answer.text()).rejects.toThrow()
    expect([to.errors, passedTo.isCancelled, to.service.load.running]).toEqual([[], true, 0])
  })

  test('a request that waits for a place never reaches the engine if its client leaves', async () => {
    const { engine, reached } = await upstream((response) => void response.writeHead(200, SSE).write('data: 1\n\n'))
    const server = await listening(engine.server, { limits: { concurrency: 1 } })
    const first = await post(server.url)
    const second = leaving(server)
    await until(() => server.service.load.waiting === 1)
    second.leave()
    await until(() => server.service.load.waiting === 0)
    await first.body?.cancel()
    await until(() => server.service.load.running === 0)
    expect(reached).toHaveLength(1)
  })
})

describe('limits of requests that are passed on', () => {
  test('an owner has no more of them at once than of responses', async () => {
    const { engine, reached } = await upstream((response) => void response.writeHead(200, SSE).write('data: 1\n\n'))
    const limits = { concurrencyPerOwner: 1 }
    const owner = (request: Request) => request.headers.get('authorization') ?? undefined
    const server = await listening(engine.server, { limits, authorize: owner })
    const of = (name: string) => post(server.url, '/v1/completions', { headers: { ...JSON_TYPE, authorization: name } })
    const first = await of('alice')
    const second = await of('alice')
    expect([second.status, await second.json()]).toMatchObject([429, { error: { code: 'rate_limit_exceeded' } }])
    expect((await of('bob')).status).toBe(200)
    await first.body?.cancel()
    await until(() => server.service.load.running === 1)
    expect((await of('alice')).status).toBe(200)
    expect(reached).toHaveLength(3)
  })

  const limits = { passedBytes: 20 }

  test('a stream of more than passedBytes ends in an error', async () => {
    const passedTo = heldServer()
    const { url, service } = await listening(passedTo, { limits })
    const answer = await post(url)
    await passedTo.asked
    // 10 characters of 14 bytes.
    for (let at = 0; at < 2; at++) passedTo.piece('data: \u20ac\u20ac\n\n')
    expect(await answer.text()).toBe(`data: \u20ac\u20ac\n\n${FAILED}`)
    expect(passedTo.isCancelled).toBe(true)
    expect(service.load.running).toBe(0)
    expect(errors).toMatchObject([{ message: 'expected an answer of at most 20 bytes, got more' }])
  })

  test.each([
    [false, '{"data": [1,', '2, 3, 4, 5, 6]}'],
    [true, 'data: {"text":', '"0123456789"}\n\n'],
  ])('stream %j: an answer that fails in the middle of JSON is cut off', async (isStream, ...pieces) => {
    const passedTo = heldServer({ isStream })
    const { url, service } = await listening(passedTo, { limits })
    const answer = await post(url)
    await passedTo.asked
    for (const piece of pieces) passedTo.piece(piece)
    await expect(answer.text()).rejects.toThrow()
    expect(passedTo.isCancelled).toBe(true)
    expect(service.load.running).toBe(0)
  })

  /** Runs all that is pending, and lets some seconds pass. */
  async function pass(seconds: number): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(seconds * 1000 + 500)
  }

  test('an engine that does not begin its answer in firstTokenSeconds is given up', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const passedTo = heldServer({ answers: false })
    const { url, service } = await listening(passedTo, { limits: { firstTokenSeconds: 5 } })
    const answer = post(url)
    await passedTo.asked
    await pass(4)
    expect(passedTo.aborted).toBeUndefined()
    await pass(2)
    expect((await answer).status).toBe(500)
    expect(errors).toMatchObject([{ message: 'the engine was silent for 5 seconds' }])
    expect(service.load.running).toBe(0)
  })

  test('a stream that is silent for tokenSeconds ends in an error; the time of a slow client does not count', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const passedTo = heldServer()
    const given = createVllmEngine({ url: 'http://x' }) as ServedEngine
    const to = endpoint(given, {
      passOn: { server: passedTo, paths: PASSED_PATHS },
      limits: { tokenSeconds: 5, firstTokenSeconds: 60 },
    })
    const answer = await to.send('/v1/completions', { method: 'POST', body: '{}' })
    await passedTo.asked
    await pass(50)
    fill(passedTo)
    await pass(50)
    expect(passedTo.aborted).toBeUndefined()
    const text = answer.text()
    await until(() => passedTo.resumed === 1)
    await pass(6)
    expect(passedTo.aborted).toMatchObject({ message: 'the engine was silent for 5 seconds' })
    expect((await text).endsWith(FAILED)).toBe(true)
    expect(to.service.load.running).toBe(0)
  })

  test('an answer that takes longer than responseSeconds is given up, though it is never silent', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const passedTo = heldServer()
    const { url } = await listening(passedTo, { limits: { responseSeconds: 10 } })
    const answer = await post(url)
    const text = answer.text()
    await passedTo.asked
    for (let at = 0; at < 3; at++) {
      passedTo.piece('data: 1\n\n')
      await pass(4)
    }
    expect(passedTo.aborted).toMatchObject({ message: 'the engine did not end its answer in 10 seconds' })
    expect((await text).endsWith(FAILED)).toBe(true)
  })
})

describe('an engine whose connection is lost', () => {
  test.each([
    ['between two events', 'data: 1\n\n', true],
    ['between two events of a server that writes CRLF', 'data: 1\r\n\r\n', true],
    ['in the middle of an event', 'data: {"a":', false],
  ])('%s', async (_, text, isTold) => {
    let drop = (): void => {}
    const { engine } = await upstream((response) => {
      response.writeHead(200, SSE).write(text)
      drop = () => void response.destroy()
    })
    const { url } = await listening(engine.server)
    const answer = await post(url)
    const reader = textOf(answer)
    expect((await reader.next()).value).toBe(text)
    drop()
    if (isTold) {
      expect([(await reader.next()).value, (await reader.next()).done]).toEqual([FAILED, true])
    } else await expect(reader.next()).rejects.toThrow()
    expect(errors).toMatchObject([{ message: expect.stringContaining('the connection was lost') }])
  })
})

test.each([
  '/v1/embeddings/../models',
  '/v1/embeddings/%2e%2e/models',
  '/v1/embeddings%2f..%2fmodels',
  '/v1//embeddings',
  '/v1/embeddings/',
  '/tokenize/../metrics',
  '/tokenize%3fa',
  '/v1/tokenize',
  '//tokenize',
  'http://127.0.0.1:1/metrics?/v1/embeddings',
])('the path %s leads nowhere', async (path) => {
  const { engine, reached, listed } = await upstream(json({}))
  const { port } = await listening(engine.server)
  const sent = request({ port, host: '127.0.0.1', path, method: 'POST', headers: JSON_TYPE })
  const answered = new Promise<IncomingMessage>((resolve) => sent.once('response', resolve))
  sent.end('{}')
  const answer = await answered
  answer.resume()
  expect(answer.statusCode).toBe(404)
  expect([reached, listed()]).toEqual([[], 0])
})

describe('a server that stops', () => {
  test('it waits for what is passed on, and cuts it off when its time is over', async () => {
    const passedTo = heldServer()
    const { url, drain } = await listening(passedTo)
    const text = (await post(url)).text()
    await passedTo.asked
    passedTo.piece('data: 1\n\n')
    const grace = new AbortController()
    let isDrained = false
    const drained = drain(grace.signal).then(() => {
      isDrained = true
    })
    expect((await post(url)).status).toBe(503)
    expect(isDrained).toBe(false)
    grace.abort()
    await drained
    expect(await text).toBe(`data: 1\n\n${STOPPING}`)
  })
})
