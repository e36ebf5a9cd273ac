import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ask } from '../../../../src/engines/contract/ask.js'
import { nodeTransport } from '../../../../src/engines/sources/http/node-transport.js'
import { readText } from '../../../../src/engines/sources/http/read-text.js'
import { createVllmEngine } from '../../../../src/engines/sources/vllm.js'
import { readTokens } from '../../../support/read-tokens.js'

const IDS = [13225, 2375, 200002]

function frameOf(token_ids: readonly number[], more: object = {}): string {
  const choice = { index: 0, text: '', finish_reason: null, stop_reason: null, ...more, token_ids }
  return `data: ${JSON.stringify({ choices: [choice] })}\n\n`
}

const ANSWER = `${IDS.map((id) => frameOf([id], id === 200002 ? { finish_reason: 'stop' } : {})).join('')}data: [DONE]\n\n`

let close = (): void => {}
afterEach(() => close())

/** A server whose requests are answered in order, the last answer again and again. */
async function serverOf(...answers: ((response: ServerResponse, request: IncomingMessage) => void)[]) {
  const sockets = new Set<Socket>()
  let asked = 0
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => answers[Math.min(asked++, answers.length - 1)]?.(response, request))
  })
  // Never closes an idle connection by itself.
  server.keepAliveTimeout = 0
  server.on('connection', (socket) => sockets.add(socket))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  close = () => {
    server.closeAllConnections()
    server.close()
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { engine: createVllmEngine({ url, checkModel: false, retries: 0 }), sockets }
}

/** Lets everything that is on its way arrive. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
}

const call = (engine: ReturnType<typeof createVllmEngine>) => readTokens(engine.generate([1], { maxTokens: 9 }))

describe("Node's own client", () => {
  test('a call uses the connection of the one before', async () => {
    const { engine, sockets } = await serverOf((response) => response.end(ANSWER))
    for (let calls = 0; calls < 3; calls++) expect((await call(engine)).tokens).toEqual(IDS)
    expect(sockets.size).toBe(1)
  })

  test('a call uses the connection of one whose answer ended behind its last event', async () => {
    const { engine, sockets } = await serverOf((response) => {
      response.write(ANSWER)
      setImmediate(() => response.end())
    })
    await call(engine)
    await vi.waitFor(() => expect([...sockets].every((socket) => socket.bytesWritten > ANSWER.length)).toBe(true))
    await call(engine)
    expect(sockets.size).toBe(1)
  })

  test('an answer that breaks off is a lost connection, after its tokens', async () => {
    const { engine } = await serverOf((response, request) => {
      response.write(frameOf([13225]))
      setImmediate(() => request.socket.resetAndDestroy())
    })
    const stream = engine.generate([1], { maxTokens: 9 })
    expect(await stream.next()).toEqual({ done: false, value: [13225] })
    await expect(stream.next()).rejects.toThrow('the connection was lost')
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  test('a reader that leaves closes the connection, which stops the engine', async () => {
    let closed = (): void => {}
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve
    })
    const { engine } = await serverOf((response) => {
      response.on('close', closed)
      response.write(frameOf([13225]))
    })
    const stream = engine.generate([1], { maxTokens: 9 })
    await stream.next()
    await stream.return()
    await isClosed
  })

  test('a reader that leaves an answer that has come whole, but was not read to its end, keeps its connection', async () => {
    let resume = (): void => {}
    const { engine, sockets } = await serverOf((response) => {
      // More than is read ahead: the end comes while reading pauses.
      for (let pieces = 0; pieces < 100; pieces++) response.write(frameOf([13225]))
      resume = () => response.end(frameOf([13225]))
    })
    for (let calls = 0; calls < 3; calls++) {
      const stream = engine.generate([1], { maxTokens: 500 })
      await stream.next()
      resume()
      await turns()
      await stream.return()
      // A socket reports its errors some turns later.
      await turns()
    }
    expect(sockets.size).toBe(1)
  })

  test('a reader that leaves in the step in which an answer came whole keeps its connection', async () => {
    const { engine, sockets } = await serverOf((response) => response.end(ANSWER))
    for (let calls = 0; calls < 3; calls++) {
      const stream = engine.generate([1], { maxTokens: 9 })
      await new Promise((resolve, reject) => ask(stream, () => resolve(stream.return()), reject))
      await turns()
    }
    expect(sockets.size).toBe(1)
  })

  test('a server that switches to another protocol, unasked, fails the call', async () => {
    const { engine } = await serverOf(({ socket }) => {
      socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n')
    })
    await expect(call(engine)).rejects.toMatchObject({
      code: 'server_error',
      message: expect.stringContaining('the connection was closed without an answer'),
    })
  })

  test('text that a piece cuts inside a character is read whole', async () => {
    const bytes = Buffer.from(frameOf([13225], { text: 'ö' }) + ANSWER)
    const at = bytes.indexOf(0xc3) + 1
    const { engine } = await serverOf((response) => {
      response.write(bytes.subarray(0, at))
      setImmediate(() => response.end(bytes.subarray(at)))
    })
    expect((await call(engine)).tokens).toEqual([13225, ...IDS])
  })

  test.each(['{"prompt":[1,2]}', '{"model":"ü"}', '{"model":"日本 😀"}'])(
    'the body %s arrives as it is',
    async (body) => {
      const server = createServer((request, response) => void request.pipe(response))
      await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
      close = () => void server.close()
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const { signal } = new AbortController()
      const answer = await nodeTransport(false)?.(url, { method: 'POST', headers: new Headers(), body, signal })
      expect(answer && (await readText(answer, 100))).toEqual({ text: body, isCut: false })
    },
  )

  test('a fetch that replaced the global one is asked instead', async () => {
    const { engine, sockets } = await serverOf((response) => response.end(ANSWER))
    const replaced = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(ANSWER))
    expect((await call(engine)).tokens).toEqual(IDS)
    replaced.mockRestore()
    expect(sockets.size).toBe(0)
  })
})

describe('a reader that is slower than its server', () => {
  test('a slow reader is read ahead for by a named number of chunks, and then gets all', async () => {
    const many = 1000
    let pulled = 0
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulled += 1
          controller.enqueue(new TextEncoder().encode(pulled > many ? ANSWER : frameOf([13225])))
          if (pulled > many) controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    const fetch = async (): Promise<Response> => new Response(body)
    const stream = createVllmEngine({
      url: 'http://a.invalid',
      checkModel: false,
      contextSize: 10_000,
      fetch,
    }).generate([1], {
      maxTokens: 5000,
    })
    await stream.next()
    for (let turns = 0; turns < 500; turns++) await new Promise((resolve) => setImmediate(resolve))
    expect(pulled).toBeGreaterThan(10)
    expect(pulled).toBeLessThan(100)
    const { tokens } = await readTokens(stream)
    expect(tokens).toHaveLength(many - 1 + IDS.length)
  })
})
