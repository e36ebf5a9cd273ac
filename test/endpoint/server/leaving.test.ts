import { once } from 'node:events'
import { type ClientRequest, createServer, type IncomingMessage, request } from 'node:http'
import http2 from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createResponsesApp, type ResponsesAppOptions } from '../../../src/endpoint/server/index.js'
import { sendEvents, serveResponses } from '../../../src/endpoint/server/node.js'
import type { Tool } from '../../../src/endpoint/tools/tool.js'
import { translateBatches } from '../../../src/index.js'
import { answer } from '../../../src/testing/index.js'
import { endpoint, type HeldEngine, heldEngine, JSON_TYPE, readUntil, tokenTable, until } from './endpoint.js'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** Listens on a free port until the test is over. */
async function listen<Listening extends Server>(server: Listening): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(() => void server.close())
  return (server.address() as AddressInfo).port
}

const body = (stream: boolean): string => JSON.stringify({ model: 'gpt-oss', input: 'Hi', stream })
const settings = (engine: HeldEngine, errors: unknown[] = []): ResponsesAppOptions => ({
  engine,
  tokenTable,
  keepAliveMs: 0,
  onError: (error) => void errors.push(error),
})

/** A client that sends a request and can be disconnected at any time. */
function ask(port: number, stream: boolean, path = '/v1/responses'): ClientRequest {
  const client = request({ port, host: '127.0.0.1', path, method: 'POST', headers: JSON_TYPE, agent: false })
  client.on('error', () => {})
  client.end(body(stream))
  return client
}

/** Resolves when the text has come. */
async function untilText(incoming: IncomingMessage, text: string): Promise<void> {
  let all = ''
  for await (const chunk of incoming.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    all += chunk
    if (all.includes(text)) return
  }
}

/** The servers that a client can connect to: the port of a server with the engine. */
const SERVERS: Readonly<Record<string, (engine: HeldEngine, errors: unknown[]) => Promise<number>>> = {
  async serveResponses(engine, errors) {
    const server = await serveResponses({ ...settings(engine, errors), port: 0 })
    cleanups.push(() => server.close({ graceMs: 0 }))
    return server.port
  },
  async 'node:http with getRequestListener'(engine, errors) {
    const app = createResponsesApp(settings(engine, errors))
    return await listen(createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false })))
  },
  async 'Express 5'(engine, errors) {
    const app = createResponsesApp(settings(engine, errors))
    const host = express()
    host.all('/v1/*path', getRequestListener(app.fetch, { overrideGlobalObjects: false }))
    return await listen(createServer(host))
  },
}

describe.each(Object.entries(SERVERS))('%s', (_, start) => {
  test('a client that leaves its stream stops the engine before its next token', async () => {
    const [engine, errors] = [heldEngine(6), [] as unknown[]]
    const client = ask(await start(engine, errors), true)
    const [incoming] = (await once(client, 'response')) as [IncomingMessage]
    await untilText(incoming, 'response.output_text.delta')
    client.destroy()
    await engine.stopped
    expect(engine.sampled).toBe(6)
    expect(errors).toEqual([])
  })

  test('a client that leaves before the first token stops the engine', async () => {
    const [engine, errors] = [heldEngine(0), [] as unknown[]]
    const client = ask(await start(engine, errors), true)
    await engine.asked
    client.destroy()
    await engine.stopped
    expect([engine.sampled, errors]).toEqual([0, []])
  })

  test('a client that does not stream and leaves stops the engine, and is no error of the host', async () => {
    const [engine, errors] = [heldEngine(6), [] as unknown[]]
    const client = ask(await start(engine, errors), false)
    await engine.asked
    client.destroy()
    await engine.stopped
    await new Promise((resolve) => setImmediate(resolve))
    expect(errors).toEqual([])
  })
})

describe('HTTP/2', () => {
  test('a client that resets its stream stops the engine, and no header is about the connection', async () => {
    const engine = heldEngine(6)
    const app = createResponsesApp(settings(engine))
    const server = http2.createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }) as never)
    const session = http2.connect(`http://127.0.0.1:${await listen(server as unknown as Server)}`)
    cleanups.push(() => session.destroy())
    const stream = session.request({ ':method': 'POST', ':path': '/v1/responses', ...JSON_TYPE })
    stream.end(body(true))
    const [headers] = (await once(stream, 'response')) as [Record<string, string>]
    expect(headers).toMatchObject({ ':status': 200, 'x-accel-buffering': 'no' })
    expect(headers['connection']).toBeUndefined()
    stream.close(http2.constants.NGHTTP2_CANCEL)
    await engine.stopped
    expect(engine.sampled).toBeLessThanOrEqual(6)
  })
})

describe('sendEvents in a bare server', () => {
  test('sendEvents in a bare server stops the tokens when the client leaves', async () => {
    const engine = heldEngine(6)
    const server = createServer((_incoming, outgoing) => {
      const tokens = engine.generate([1, 2, 3])
      void sendEvents(outgoing, translateBatches(tokens, { tokenTable, responseId: 'resp_1' }))
    })
    const client = ask(await listen(server), true)
    const [incoming] = (await once(client, 'response')) as [IncomingMessage]
    await untilText(incoming, 'response.output_text.delta')
    client.destroy()
    await engine.stopped
    expect(engine.sampled).toBe(6)
  })
})

describe('a fetch handler', () => {
  const init = (signal?: AbortSignal): RequestInit => ({
    method: 'POST',
    headers: JSON_TYPE,
    body: body(true),
    ...(signal && { signal }),
  })

  test('a fetch handler stops the engine when the body is cancelled', async () => {
    const { engine, send, errors } = endpoint(heldEngine(6))
    const reader = ((await send('/v1/responses', init())).body as ReadableStream<Uint8Array>).getReader()
    await readUntil(reader, 'response.output_text.delta')
    await reader.cancel()
    await engine.stopped
    expect(engine.sampled).toBeLessThanOrEqual(6)
    expect(errors).toEqual([])
  })

  test('a fetch handler stops the engine when the request is aborted, even if the body is not read', async () => {
    const { engine, send, errors } = endpoint(heldEngine(6))
    const leaving = new AbortController()
    const response = await send('/v1/responses', init(leaving.signal))
    expect(response.status).toBe(200)
    leaving.abort()
    await new Promise((resolve) => setImmediate(resolve))
    expect(errors).toEqual([])
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    await expect(reader.read()).rejects.toThrow()
    expect(engine.sampled).toBeLessThanOrEqual(6)
  })

  test('a fetch handler whose request does not stream stops the engine when it is aborted, and reports no error', async () => {
    const { engine, send, errors, service } = endpoint(heldEngine(6))
    const leaving = new AbortController()
    const answered = send('/v1/responses', { ...init(leaving.signal), body: body(false) })
    await engine.asked
    leaving.abort()
    await engine.stopped
    await answered
    expect([errors, service.load.running]).toEqual([[], 0])
  })

  test('a fetch handler stops the engine when the request is aborted in mid-stream', async () => {
    const { engine, send } = endpoint(heldEngine(6))
    const leaving = new AbortController()
    const reader = ((await send('/v1/responses', init(leaving.signal))).body as ReadableStream).getReader()
    await readUntil(reader, 'response.output_text.delta')
    leaving.abort()
    await engine.stopped
    expect(engine.sampled).toBeLessThanOrEqual(6)
  })

  test('a fetch handler frees the place of a client that leaves while it waits for its turn', async () => {
    const { engine, send, service } = endpoint(heldEngine(6), { limits: { concurrency: 1, queue: 1 } })
    const first = await send('/v1/responses', init())
    const leaving = new AbortController()
    const second = send('/v1/responses', init(leaving.signal))
    await until(() => service.load.waiting === 1)
    leaving.abort()
    await second
    expect(service.load).toEqual({ running: 1, waiting: 0 })
    await first.body?.cancel()
    await engine.stopped
    await until(() => service.load.running === 0)
  })

  test('a fetch handler whose request is aborted stops a listing of tools that hangs, and gives its place back', async () => {
    let listed = (): void => {}
    const asked = new Promise<void>((resolve) => {
      listed = resolve
    })
    const hanging: Tool = {
      answers: () => false,
      run: async () => ({ output: '' }),
      listings: (_request, { signal }) =>
        new Promise((resolve) => {
          listed()
          signal.addEventListener('abort', () => resolve([]))
        }),
    }
    const { send, service } = endpoint(heldEngine(6), { tools: [hanging] })
    const leaving = new AbortController()
    const tools = [{ type: 'mcp', server_label: 'docs' }]
    const answered = send('/v1/responses', {
      ...init(leaving.signal),
      body: JSON.stringify({ model: 'gpt-oss', input: 'Hi', tools, stream: true }),
    })
    await asked
    leaving.abort()
    await answered
    await until(() => service.load.running === 0)
  })
})

describe('onDisconnect', () => {
  /** Streams until the first text, and leaves. */
  async function leave({ send }: Pick<ReturnType<typeof endpoint>, 'send'>): Promise<string> {
    const response = await send('/v1/responses', { method: 'POST', headers: JSON_TYPE, body: body(true) })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const text = await readUntil(reader, 'response.output_text.delta')
    await reader.cancel()
    return /"id":"(resp_\w+)"/.exec(text)?.[1] ?? ''
  }

  test("with onDisconnect 'finish', a response continues without its client, which can read all of it later", async () => {
    const served = endpoint([answer('This is said to the end.')], { onDisconnect: 'finish' })
    const id = await leave(served)
    const events = await served.stream(`/responses/${id}?stream=true`)
    expect(events.at(-1)?.response.output[0].content[0].text).toBe('This is said to the end.')
  })

  test('with onDisconnect { graceMs }, a response continues for a while without its client, and then stops', async () => {
    const served = endpoint(heldEngine(6), { onDisconnect: { graceMs: 60_000 } })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const id = await leave(served)
    vi.advanceTimersByTime(59_999)
    served.engine.step()
    expect((await served.ask('GET', `/responses/${id}`)).body.status).toBe('in_progress')
    vi.advanceTimersByTime(1)
    await served.engine.stopped
    const events = await served.stream(`/responses/${id}?stream=true`)
    expect(events.at(-1)?.response).toMatchObject({ status: 'cancelled', error: null })
    expect((await served.ask('GET', `/responses/${id}`)).body).toEqual(events.at(-1)?.response)
  })

  test('with onDisconnect { graceMs }, a response continues while a client that has come back reads it', async () => {
    const served = endpoint(heldEngine(6), { onDisconnect: { graceMs: 60_000 } })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const id = await leave(served)
    const again = await served.send(`/v1/responses/${id}?stream=true`)
    const reader = (again.body as ReadableStream<Uint8Array>).getReader()
    await readUntil(reader, 'response.output_text.delta')
    vi.advanceTimersByTime(600_000)
    expect((await served.ask('GET', `/responses/${id}`)).body.status).toBe('in_progress')
    await reader.cancel()
    vi.advanceTimersByTime(60_000)
    await served.engine.stopped
  })

  test('onDisconnect { graceMs } does not count a reader that asks for the headers of a stream alone', async () => {
    const served = endpoint(heldEngine(6), { onDisconnect: { graceMs: 60_000 } })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const id = await leave(served)
    const head = await served.send(`/v1/responses/${id}?stream=true`, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    vi.advanceTimersByTime(60_000)
    await served.engine.stopped
  })

  test('onDisconnect { graceMs } leaves no timer behind when the response ends', async () => {
    const served = endpoint([answer('Short.')], { onDisconnect: { graceMs: 60_000 } })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const events = await served.stream('/responses', { input: 'Hi' })
    await served.stream(`/responses/${events[0]?.response.id}?stream=true`)
    // Work after the last event takes some turns of the loop, more if other tests are still ending.
    for (let turn = 0; turn < 100 && vi.getTimerCount() > 0; turn++) {
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(vi.getTimerCount()).toBe(0)
  })

  test('onDisconnect is nothing to a response in the background', async () => {
    const served = endpoint(heldEngine(6))
    const { body: created } = await served.create({ input: 'Hi', background: true })
    const stream = await served.send(`/v1/responses/${created.id}?stream=true`)
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader()
    await readUntil(reader, 'response.output_text.delta')
    await reader.cancel()
    served.engine.step(5)
    await until(() => served.engine.sampled === 11)
    expect((await served.ask('GET', `/responses/${created.id}`)).body.status).toBe('in_progress')
    await served.ask('POST', `/responses/${created.id}/cancel`)
  })
})
