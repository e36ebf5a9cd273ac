import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import http2, { type Http2ServerResponse } from 'node:http2'
import { type AddressInfo, connect, type Server } from 'node:net'
import { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { sseStream } from '../../../src/core/sse/index.js'
import { sendEvents } from '../../../src/endpoint/server/node.js'
import { until } from './endpoint.js'

type Handler = (outgoing: ServerResponse) => unknown
let handler: Handler = () => {}
const server = createServer((_incoming, outgoing) => void handler(outgoing))
const http2Server = http2.createServer((_incoming, outgoing) => void handler(outgoing as never))
const portOf = (listening: unknown): number => ((listening as Server).address() as AddressInfo).port

beforeAll(async () => {
  for (const each of [server, http2Server]) await once(each.listen(0, '127.0.0.1'), 'listening')
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
  http2Server.close()
})
afterEach(() => void vi.useRealTimers())

/** Endless events, and whether their stream was closed. */
function endless(text = 'x'): {
  readonly events: AsyncGenerator<object>
  readonly state: { made: number; left: boolean }
} {
  const state = { made: 0, left: false }
  async function* make(): AsyncGenerator<{ type: string; text: string }> {
    try {
      for (;;) yield { type: 'delta', text: `${text}${state.made++}` }
    } finally {
      state.left = true
    }
  }
  return { events: make(), state }
}

/** Runs the handler on a server, and returns the client's side. */
async function open(answer: Handler): Promise<IncomingMessage> {
  handler = answer
  const client = request({ port: portOf(server), host: '127.0.0.1', agent: false })
  client.on('error', () => {})
  client.end()
  const [incoming] = (await once(client, 'response')) as [IncomingMessage]
  return incoming
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of incoming.setEncoding('utf8')) text += chunk
  return text
}

test('sendEvents sends events with the headers of a stream, and ends', async () => {
  const incoming = await open((outgoing) => sendEvents(outgoing, [{ type: 'a' }, [{ type: 'b' }, { type: 'c' }]]))
  expect(incoming.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  })
  const frame = (type: string): string => `event: ${type}\ndata: {"type":"${type}"}\n\n`
  expect(await bodyOf(incoming)).toBe(frame('a') + frame('b') + frame('c'))
})

test('sendEvents sends [DONE] and headers of its own where asked', async () => {
  const headers = { 'x-own': 'yes', 'cache-control': 'no-store' }
  const incoming = await open((outgoing) => sendEvents(outgoing, [], { done: true, headers }))
  expect(incoming.headers).toMatchObject(headers)
  expect(await bodyOf(incoming)).toBe('data: [DONE]\n\n')
})

test('sendEvents sets no header about the connection itself', async () => {
  const set: string[] = []
  await bodyOf(
    await open((outgoing) => {
      vi.spyOn(outgoing, 'setHeader').mockImplementation((name) => {
        set.push(name.toLowerCase())
        return outgoing
      })
      return sendEvents(outgoing, [])
    }),
  )
  expect(set).not.toContain('connection')
  expect(set.length).toBeGreaterThan(2)
})

test('sendEvents closes the events of a client that left before anything was sent', async () => {
  const { events, state } = endless()
  await events.next()
  let isAsked = false
  handler = async (outgoing) => {
    isAsked = true
    await once(outgoing, 'close')
    await sendEvents(outgoing, events as never)
  }
  const socket = connect(portOf(server), '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'))
  await until(() => isAsked)
  socket.destroy()
  await until(() => state.left)
  expect(state.made).toBe(1)
})

test('sendEvents closes the events if a header cannot be sent', async () => {
  const { events, state } = endless()
  await events.next()
  let failure: unknown
  handler = async (outgoing) => {
    failure = await sendEvents(outgoing, events as never, { headers: { bad: 'a\r\nset-cookie: b' } }).catch((e) => e)
  }
  const client = request({ port: portOf(server), host: '127.0.0.1', agent: false })
  client.on('error', () => {})
  client.end()
  await until(() => failure !== undefined)
  expect(failure).toMatchObject({ code: 'ERR_INVALID_CHAR' })
  expect(state.left).toBe(true)
})

test('sendEvents cuts the connection where the events throw, and throws the error', async () => {
  let thrown: unknown
  async function* broken(): AsyncGenerator<{ type: string }> {
    yield { type: 'a' }
    throw new Error('broken')
  }
  const incoming = await open(async (outgoing) => {
    thrown = await sendEvents(outgoing, broken()).catch((error: unknown) => error)
  })
  await expect(bodyOf(incoming)).rejects.toThrow('aborted')
  expect(thrown).toEqual(new Error('broken'))
})

test('sendEvents asks for no more than its client reads', async () => {
  const { events, state } = endless('x'.repeat(10_000))
  const incoming = await open((outgoing) => sendEvents(outgoing, events as never))
  incoming.pause()
  // Until nothing has been made in many turns of the event loop: the buffers on both sides are full.
  for (let quiet = 0, last = -1; quiet < 200; quiet++) {
    if (state.made !== last) quiet = 0
    last = state.made
    await new Promise((resolve) => setImmediate(resolve))
  }
  const bounded = state.made
  // The sockets' buffers of a loopback hold some megabytes.
  expect(bounded).toBeLessThan(3000)
  incoming.resume()
  await until(() => state.made > bounded + 100)
  incoming.destroy()
  await until(() => state.left)
})

test('sendEvents stops for a client that leaves after it has stopped reading', async () => {
  const { events, state } = endless('x'.repeat(10_000))
  let isSent = false
  const incoming = await open(async (outgoing) => {
    await sendEvents(outgoing, events as never)
    isSent = true
  })
  incoming.pause()
  await until(() => state.made > 50)
  incoming.destroy()
  await until(() => isSent && state.left)
})

describe('a comment keeps the connection alive', () => {
  const FAKE = { toFake: ['setInterval', 'clearInterval', 'performance'] as const }

  test('a comment keeps the connection alive while nothing comes, and not while something does', async () => {
    vi.useFakeTimers({ toFake: [...FAKE.toFake] })
    let give = (_value: { type: string } | undefined): void => {}
    async function* slow(): AsyncGenerator<{ type: string }> {
      for (;;) {
        const value = await new Promise<{ type: string } | undefined>((resolve) => {
          give = resolve
        })
        if (value === undefined) return
        yield value
      }
    }
    const incoming = await open((outgoing) => sendEvents(outgoing, slow(), { keepAliveMs: 1000 }))
    vi.advanceTimersByTime(2000)
    give({ type: 'a' })
    await new Promise((resolve) => setImmediate(resolve))
    give(undefined)
    const text = await bodyOf(incoming)
    expect(text).toBe(': keep-alive\n\n: keep-alive\n\nevent: a\ndata: {"type":"a"}\n\n')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('comments are not piled up for a client that does not read, over HTTP/2 either', async () => {
    vi.useFakeTimers({ toFake: [...FAKE.toFake] })
    let response: Http2ServerResponse | undefined
    let comments = 0
    handler = (outgoing) => {
      response = outgoing as never
      const write = outgoing.write.bind(outgoing)
      vi.spyOn(outgoing, 'write').mockImplementation((text: unknown) => {
        if (String(text).startsWith(':')) comments += 1
        return write(text as string)
      })
      void sendEvents(outgoing, endless('x'.repeat(100_000)).events as never, { keepAliveMs: 1000 })
    }
    const session = http2.connect(`http://127.0.0.1:${portOf(http2Server)}`)
    const stream = session.request({ ':path': '/' })
    await once(stream, 'response')
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
    vi.advanceTimersByTime(100_000)
    expect(response).toBeDefined()
    expect(comments).toBe(0)
    session.destroy()
  })
})

describe('the texts of a plain response go to its socket as chunks', () => {
  /** What a raw client of HTTP/1.1 receives, with the requests that it sends at once. */
  async function received(answer: Handler, requests = 1, version = '1.1'): Promise<string> {
    handler = answer
    const close = version === '1.1' ? 'Connection: close\r\n' : ''
    const socket = connect(portOf(server), '127.0.0.1')
    const plain = `GET / HTTP/${version}\r\nHost: x\r\n`
    for (let nth = 1; nth < requests; nth++) socket.write(`${plain}\r\n`)
    socket.write(`${plain}${close}\r\n`)
    const parts: Buffer[] = []
    for await (const part of socket) parts.push(part as Buffer)
    return Buffer.concat(parts).toString('utf8')
  }
  const body = (text: string): string => text.slice(text.indexOf('\r\n\r\n') + 4)
  const encode = ({ type }: { readonly type: string }): string => type
  const send =
    (...texts: readonly string[]): Handler =>
    (outgoing) =>
      sendEvents(
        outgoing,
        texts.map((type) => ({ type })),
        { encode },
      )

  test('a chunk counts bytes, whatever the characters, and a lone surrogate is replaced', async () => {
    const texts = ['plain', 'größe', '日本', '😀', 'a\ud800b']
    const incoming = await open(async (outgoing) => {
      async function* later(): AsyncGenerator<{ type: string }> {
        for (const type of texts) {
          await new Promise((resolve) => setImmediate(resolve))
          yield { type }
        }
      }
      await sendEvents(outgoing, later(), { encode })
    })
    expect(await bodyOf(incoming)).toBe('plaingröße日本😀a\ufffdb')
  })

  test('the first text of a turn goes at once, and the others together', async () => {
    expect(body(await received(send('one', 'two', 'three')))).toBe('3\r\none\r\n8\r\ntwothree\r\n0\r\n\r\n')
  })

  test('no text overtakes one of the turn before', async () => {
    let give: (type: string) => void = () => {}
    const events = {
      [Symbol.asyncIterator]: () => events,
      drainTo: async (write: (event: { type: string }) => unknown) => {
        give = (type) => void write({ type })
        give('1')
        // Runs when the turn is over, and '2' is not yet sent.
        process.nextTick(() => give('3'))
        give('2')
        await new Promise((resolve) => setImmediate(resolve))
      },
      return: async () => ({ done: true, value: undefined }),
    }
    const incoming = await open((outgoing) => sendEvents(outgoing, events as never, { encode }))
    expect(await bodyOf(incoming)).toBe('123')
  })

  test('one long turn gathers no more than its bound', async () => {
    const text = 'x'.repeat(5000)
    const sizes = body(await received(send(...Array.from({ length: 10 }, () => text))))
      .match(/^[\da-f]+(?=\r$)/gm)
      ?.map((size) => Number.parseInt(size, 16))
    expect(sizes).toEqual([5000, 20_000, 20_000, 5000, 0])
  })

  test('the answers of a pipelined connection stay apart', async () => {
    const answers = await received(send('first', 'rest'), 2)
    expect(answers.match(/first/g)).toHaveLength(2)
    expect(answers.split('HTTP/1.1 200 OK')).toHaveLength(3)
    expect(answers.indexOf('0\r\n\r\n')).toBeLessThan(answers.lastIndexOf('HTTP/1.1 200 OK'))
  })

  test('a client of HTTP/1.0 gets no chunks', async () => {
    expect(body(await received(send('one', 'two'), 1, '1.0'))).toBe('onetwo')
  })

  test('a response whose write is changed, or whose body is encoded, is written by its own methods', async () => {
    const shouted = await open((outgoing) => {
      const write = outgoing.write.bind(outgoing)
      outgoing.write = ((text: string) => write(text.toUpperCase())) as never
      return send('one', 'two')(outgoing)
    })
    expect(await bodyOf(shouted)).toBe('ONETWO')
    const encoded = await received((outgoing) => {
      outgoing.setHeader('content-encoding', 'identity')
      return send('one', 'two', 'three')(outgoing)
    })
    expect(body(encoded)).toBe('3\r\none\r\n3\r\ntwo\r\n5\r\nthree\r\n0\r\n\r\n')
  })

  test('a host that ends the response itself gets nothing of it into the next answer of the connection', async () => {
    let give: (type: string) => void = () => {}
    const events = {
      [Symbol.asyncIterator]: () => events,
      drainTo: async (write: (event: { type: string }) => unknown) => {
        give = (type) => void write({ type })
        await new Promise(() => {})
      },
      return: async () => ({ done: true, value: undefined }),
    }
    let answers = 0
    const text = await received((outgoing) => {
      answers += 1
      if (answers > 1) return outgoing.end('second')
      void sendEvents(outgoing, events as never, { encode })
      give('first')
      outgoing.end()
      give(' late')
      return setImmediate(() => give(' later'))
    }, 2)
    expect(text).toContain('first')
    expect(text).toContain('second')
    expect(text).not.toContain('late')
  })

  test('on another runtime, a response is written by its own methods', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Bun/1.3' })
    const text = await received(send('one', 'two', 'three'))
    vi.unstubAllGlobals()
    expect(body(text)).toBe('3\r\none\r\n3\r\ntwo\r\n5\r\nthree\r\n0\r\n\r\n')
  })

  test('the connection serves another request after a stream', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    handler = send('one', 'two')
    const sockets = new Set<unknown>()
    for (let nth = 0; nth < 3; nth++) {
      const client = request({ port: portOf(server), host: '127.0.0.1', agent })
      client.end()
      const [incoming] = (await once(client, 'response')) as [IncomingMessage]
      sockets.add(client.socket)
      expect(await bodyOf(incoming)).toBe('onetwo')
    }
    agent.destroy()
    expect(sockets.size).toBe(1)
  })
})

test('the obvious pipe leaves the events open for a client that left, and sendEvents does not', async () => {
  const [piped, sent] = [endless(), endless()]
  const obvious = await open((outgoing) => Readable.fromWeb(sseStream(piped.events as never) as never).pipe(outgoing))
  await once(obvious, 'data')
  obvious.destroy()
  const ours = await open((outgoing) => sendEvents(outgoing, sent.events as never))
  await once(ours, 'data')
  ours.destroy()
  await until(() => sent.state.left)
  expect(piped.state.left).toBe(false)
})
