import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { reconnections } from '../../../../src/endpoint/tools/mcp/reconnections.js'
import { context, declaring, later, mcpCall, toolsOf } from './fixtures.js'

const MB = 1_048_576
const GONE = { error: { message: 'The MCP server closed the connection before it answered.' } }

interface Asked {
  readonly method: string
  readonly id: unknown
  /** The event after which a stream is resumed. */
  readonly lastEvent: string | undefined
  readonly response: ServerResponse
  /** Resolves when the client has closed the stream, or the server ended it. */
  readonly closed: Promise<void>
}

interface Hostile {
  readonly url: string
  /** The messages that it got, and `GET` for each stream that was opened for its own. */
  readonly asked: Asked[]
  /** Resolves with the n-th request of this method. */
  nth(method: string, n?: number): Promise<Asked>
}

/** A server behind HTTP that answers everything but what `takes` returns true for. */
async function hostile(takes: (asked: Asked) => boolean): Promise<Hostile> {
  const asked: Asked[] = []
  const watchers = new Set<() => void>()
  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const part of incoming) text += part
    const { id, method = 'answer' } = incoming.method === 'POST' ? JSON.parse(text) : { method: incoming.method }
    const closed = new Promise<void>((resolve) => void response.on('close', resolve))
    const lastEvent = incoming.headers['last-event-id']?.toString()
    const one = { method, id, lastEvent, response, closed }
    asked.push(one)
    for (const watcher of watchers) watcher()
    if (takes(one)) return
    if (incoming.method !== 'POST') return void response.writeHead(405).end()
    if (id === undefined || method === 'answer') return void response.writeHead(202).end()
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method) }))
  }
  const server = createServer((incoming, response) => void answer(incoming, response).catch(() => {}))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  later(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    asked,
    async nth(wanted, n = 1) {
      const find = () => asked.filter(({ method }) => method === wanted)[n - 1]
      return (
        find() ??
        new Promise((resolve) => {
          const watcher = (): void => {
            const found = find()
            if (found !== undefined) resolve(found)
          }
          watchers.add(watcher)
        })
      )
    },
  }
}

function resultOf(method: string): object {
  if (method === 'initialize') {
    return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } }
  }
  if (method === 'tools/list') return { tools: [{ name: 'any', inputSchema: { type: 'object' } }] }
  return { content: [{ type: 'text', text: 'fine' }] }
}

function stream(response: ServerResponse): ServerResponse {
  return response.setHeader('content-type', 'text/event-stream')
}

/** Writes this until the client has left. */
function flood(response: ServerResponse, text: string): void {
  const part = text.repeat(Math.ceil(65_536 / text.length))
  const more = (): void => {
    if (response.destroyed) return
    response.write(part, () => setImmediate(more))
  }
  more()
}

const event = (message: object): string => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`

describe('the stream of a call ends with the call', () => {
  test('when the answer was received, also if the server goes on', async () => {
    const server = await hostile(({ method, id, response }) => {
      if (method !== 'tools/call') return false
      stream(response).write(event({ id, result: resultOf('tools/call') }))
      return true
    })
    const { tools } = toolsOf({ weather: { url: server.url } })
    expect(await tools.run(mcpCall('any'), context())).toEqual({ output: 'fine' })
    const { closed } = await server.nth('tools/call')
    await closed
  })

  test.each([
    ['streams', ({ response }: Asked) => void stream(response).write(': nothing\n\n')],
    ['sends no headers', () => {}],
    [
      'never ends its body',
      ({ response }: Asked) => void response.setHeader('content-type', 'application/json').write('{'),
    ],
    [
      'never ends its refusal',
      ({ response }: Asked) => void response.writeHead(500, { 'content-type': 'text/plain' }).write('no'),
    ],
  ])('when it is given up, at a server that %s', async (_, begin) => {
    const server = await hostile((asked) => {
      if (asked.method !== 'tools/call') return false
      begin(asked)
      return true
    })
    const { tools } = toolsOf({ weather: { url: server.url } })
    const abort = new AbortController()
    const running = tools.run(mcpCall('any'), context({ signal: abort.signal }))
    const { closed } = await server.nth('tools/call')
    abort.abort()
    expect(await running).toHaveProperty('error')
    await closed
  })

  test('when its time is over', async () => {
    const server = await hostile(({ method, response }) => {
      if (method !== 'tools/call') return false
      stream(response).write(': nothing\n\n')
      return true
    })
    const { tools } = toolsOf({ weather: { url: server.url } }, { timeoutMs: 1000 })
    const message = 'The MCP server did not answer in time.'
    expect(await tools.run(mcpCall('any'), context())).toEqual({ error: { message } })
    // On a busy machine, the time may be over before the request was sent.
    for (const { method, closed } of server.asked) if (method === 'tools/call') await closed
  })

  test('when it is cancelled, also if the server has asked to be polled', async () => {
    const server = await hostile(({ method, response }) => {
      if (method === 'tools/call') stream(response).end('id: 1\nretry: 0\ndata:\n\n')
      else if (method === 'GET') stream(response).write(': nothing\n\n')
      else return false
      return true
    })
    const { tools } = toolsOf({ weather: { url: server.url } })
    const abort = new AbortController()
    const running = tools.run(mcpCall('any'), context({ signal: abort.signal }))
    // The first is for the server's own messages.
    const { closed } = await server.nth('GET', 2)
    abort.abort()
    expect(await running).toHaveProperty('error')
    await closed
  })
})

describe('calls that a server has polled', () => {
  afterEach(() => void vi.restoreAllMocks())

  test('five at once are each polled after a second', async () => {
    const delays: number[] = []
    const { setTimeout } = globalThis
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms = 0, ...more: unknown[]) => {
      // The time limits of calls and listings are longer, and the timers of `fetch` have arguments.
      const isPause = ms >= 1000 && ms < 30_000 && more.length === 0
      if (isPause) delays.push(ms)
      return setTimeout(run, isPause ? 0 : ms, ...more)
    }) as typeof setTimeout)
    const server = await hostile(({ method, id, lastEvent, response }) => {
      if (method === 'tools/call') stream(response).end(`id: ${id}\nretry: 100\ndata:\n\n`)
      else if (lastEvent !== undefined) {
        stream(response).end(event({ id: Number(lastEvent), result: resultOf('tools/call') }))
      } else return false
      return true
    })
    const { tools } = toolsOf({ weather: { url: server.url } })
    const calls = Array.from({ length: 5 }, () => tools.run(mcpCall('any'), context()))
    expect(await Promise.all(calls)).toEqual(calls.map(() => ({ output: 'fine' })))
    expect(server.asked.filter(({ lastEvent }) => lastEvent !== undefined)).toHaveLength(5)
    expect([...new Set(delays)]).toEqual([1000])
  })
})

test('hundreds of calls leave nothing behind', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const heap = async (): Promise<number> => {
    await new Promise((resolve) => setTimeout(resolve, 1100))
    collect()
    return process.memoryUsage().heapUsed
  }
  const server = await hostile(({ method, id, response }) => {
    if (method !== 'tools/call') return false
    stream(response).end(event({ id, result: resultOf('tools/call') }))
    return true
  })
  const { tools } = toolsOf({ weather: { url: server.url } })
  const call = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time++) await tools.run(mcpCall('any'), context())
    server.asked.length = 0
  }
  await call(50)
  const before = await heap()
  await call(150)
  // `AbortSignal.any` alone keeps 2.8 kB a call.
  expect((await heap()) - before).toBeLessThan(250_000)
})

describe("the stream of a server's own messages", () => {
  afterEach(() => void vi.useRealTimers())

  test('is opened again after a second, whatever the server asks for', async () => {
    const opened: number[] = []
    const server = await hostile(({ method, response }) => {
      if (method !== 'GET') return false
      opened.push(performance.now())
      stream(response).end('retry: 0\n\n')
      return true
    })
    const { tools } = toolsOf({ weather: { url: server.url } })
    await tools.listings(declaring('weather'), context())
    await server.nth('GET', 2)
    const [first = 0, second = 0] = opened
    expect(second - first).toBeGreaterThan(900)
  })

  test('is opened again twice as late each time that the server answered nothing in between, but not while a request waits', () => {
    vi.useFakeTimers()
    let isWaiting = false
    const streams = reconnections(() => isWaiting)
    const delays: number[] = []
    const next = (asked: number): void => {
      const since = Date.now()
      streams.schedule(() => delays.push(Date.now() - since), asked)
      vi.runAllTimers()
    }
    for (let time = 0; time < 9; time++) next(0)
    streams.answered()
    for (const asked of [0, 5_000, 0, 2 ** 40]) next(asked)
    isWaiting = true
    for (const asked of [0, 0, 5_000, 2 ** 40]) next(asked)
    isWaiting = false
    next(0)
    expect(delays).toEqual([
      ...[1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 64_000, 64_000],
      ...[1_000, 5_000, 4_000, 64_000],
      ...[1_000, 1_000, 5_000, 64_000],
      16_000,
    ])
  })

  test('ends with a flood of comments, which are no messages', async () => {
    const server = await hostile(({ method, response }) => {
      if (method !== 'GET') return method === 'tools/call'
      flood(stream(response), ':\n')
      return true
    })
    const { tools, told } = toolsOf({ weather: { url: server.url } })
    expect(await tools.run(mcpCall('any'), context())).toEqual(GONE)
    const { closed } = await server.nth('GET')
    await closed
    expect(told.filter(({ error }) => /104857600 bytes in a row/.test(String(error)))).toHaveLength(1)
  })

  test('ends with a flood of pings whose answers are not taken, which hold one socket', async () => {
    const server = await hostile(({ method, response }) => {
      if (method === 'GET') flood(stream(response), event({ id: 1, method: 'ping' }))
      return ['GET', 'answer', 'tools/call'].includes(method)
    })
    let begun = 0
    const counted: typeof fetch = (input, init) => {
      begun += 1
      return fetch(input, init)
    }
    const { tools, told } = toolsOf({ weather: { url: server.url, fetch: counted } })
    expect(await tools.run(mcpCall('any'), context())).toEqual(GONE)
    expect(server.asked.filter(({ method }) => method === 'answer')).toHaveLength(1)
    expect(told.filter(({ error }) => /bytes of messages unread/.test(String(error)))).toHaveLength(1)
    await tools.close()
    await (await server.nth('answer')).closed
    // None of the thousands of answers that waited for the socket is begun when the connection ends.
    expect(begun).toBeLessThan(10)
  })
})

describe('messages over HTTP beyond a limit', () => {
  test('unfinished messages on many streams are limited together', async () => {
    const server = await hostile(({ method, response }) => {
      if (method !== 'tools/call') return false
      stream(response).write(`data: ${'x'.repeat(9 * MB)}`)
      return true
    })
    const { tools, told } = toolsOf({ weather: { url: server.url } })
    const calls = Array.from({ length: 6 }, () => tools.run(mcpCall('any'), context()))
    expect(await Promise.race(calls)).toHaveProperty('error')
    await tools.close()
    await Promise.all(calls)
    expect(told.some(({ error }) => /have more than 41943040 bytes together/.test(String(error)))).toBe(true)
  })

  test('an event of a million empty lines ends the connection', async () => {
    const server = await hostile(({ method, response }) => {
      if (method !== 'tools/call') return false
      stream(response).write('data\n'.repeat(1_000_000))
      return true
    })
    const { tools, told } = toolsOf({ weather: { url: server.url } })
    expect(await tools.run(mcpCall('any'), context())).toEqual(GONE)
    expect(String(told[0]?.error)).toContain('more than 104857600 bytes in a row that answer nothing')
  })

  test.each(['[', ' \r\n[', '\ufeff['])('a batch of messages is not read that begins with %j', async (start) => {
    const server = await hostile(({ method, id, response }) => {
      if (method !== 'tools/call') return false
      const answer = JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method) })
      response.setHeader('content-type', 'application/json').end(`${start}${answer}]`)
      return true
    })
    const { tools, told } = toolsOf({ weather: { url: server.url } })
    expect(await tools.run(mcpCall('any'), context())).toHaveProperty('error')
    expect(String(told[0]?.error)).toContain('a batch of messages')
  })
})
