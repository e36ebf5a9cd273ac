import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { nextTurn } from '../../../../src/endpoint/flow/next-turn.js'
import type { McpServerConfig } from '../../../../src/endpoint/tools/mcp/index.js'
import { describeSlow } from '../../../support/slow-suites.js'
import { context, declaring, later, mcpCall, raw, toolsOf } from './fixtures.js'

const MB = 1_048_576
const GONE = { error: { message: 'The MCP server closed the connection before it answered.' } }

interface FloodingServer {
  readonly url: string
  /** Bytes of floods that were given to the system. */
  readonly sent: number
  /** Resolves when a flood was cut off. */
  readonly cut: Promise<void>
}

/** A server behind HTTP that answers everything but what `flood` takes over. */
async function flooding(
  flood: (method: string, call: number) => 'json' | 'event' | undefined,
): Promise<FloodingServer> {
  let [sent, calls] = [0, 0]
  let resolveCut = (): void => {}
  const cut = new Promise<void>((resolve) => {
    resolveCut = resolve
  })
  const result = (method: string): object => {
    if (method === 'initialize') {
      return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'flood', version: '1' } }
    }
    if (method === 'tools/list') return { tools: [{ name: 'any', inputSchema: { type: 'object' } }] }
    return { content: [{ type: 'text', text: 'fine' }] }
  }
  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    let text = ''
    for await (const part of incoming) text += part
    if (incoming.method !== 'POST') return void outgoing.writeHead(405).end()
    const { id, method } = JSON.parse(text)
    if (id === undefined) return void outgoing.writeHead(202).end()
    calls += 1
    const kind = flood(method, calls)
    if (kind === undefined) {
      outgoing.setHeader('content-type', 'application/json')
      return void outgoing.end(JSON.stringify({ jsonrpc: '2.0', id, result: result(method) }))
    }
    outgoing.setHeader('content-type', kind === 'json' ? 'application/json' : 'text/event-stream')
    outgoing.write(kind === 'json' ? '{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"' : 'data: ')
    outgoing.on('close', resolveCut)
    const part = 'x'.repeat(MB)
    const more = (): void => {
      while (!outgoing.destroyed && sent < 100 * MB) {
        sent += MB
        if (!outgoing.write(part)) return void outgoing.once('drain', more)
      }
      outgoing.end()
    }
    more()
  }
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing).catch(() => {}))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  later(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    get sent() {
      return sent
    },
    cut,
  }
}

describeSlow('servers that send too much', () => {
  describe('a server behind HTTP that sends 100 MB', () => {
    test.each(['json', 'event'] as const)(
      'a result of 100 MB as %s is read no further than a message may be long',
      async (kind) => {
        let isFlooding = true
        const server = await flooding((method) => (isFlooding && method === 'tools/call' ? kind : undefined))
        const { tools, told } = toolsOf({ weather: { url: server.url } }, { timeoutMs: 5000 })
        const result = await tools.run(mcpCall('any'), context())
        expect(result).toHaveProperty('error')
        await server.cut
        // Sent bytes are in the buffers of two sockets.
        expect(server.sent).toBeLessThan(40 * MB)
        expect(told.length).toBeGreaterThan(0)
        isFlooding = false
        expect(await tools.run(mcpCall('any'), context())).toEqual({ output: 'fine' })
      },
    )

    test('a list of 100 MB is an error of the listing, and of no other server', async () => {
      const server = await flooding((method) => (method === 'tools/list' ? 'json' : undefined))
      const good = await flooding(() => undefined)
      const { tools } = toolsOf({ weather: { url: server.url }, good: { url: good.url } })
      const listings = await tools.listings?.(declaring('weather', 'good'), context())
      await server.cut
      expect(listings?.map((listing) => listing.tools?.length ?? 'error')).toEqual(['error', 1])
    })
  })

  describe('a server that sends notifications without end', () => {
    test('a call of it fails, the operator is told once, and the other servers are answered', async () => {
      const good = await flooding(() => undefined)
      const { tools, told } = toolsOf({ weather: raw('flood'), good: { url: good.url } })
      const flooded = tools.run(mcpCall('any'), context())
      expect(await tools.run(mcpCall('any', {}, 'good'), context({ request: declaring('weather', 'good') }))).toEqual({
        output: 'fine',
      })
      expect(await flooded).toEqual(GONE)
      const floods = told.filter(({ error }) => /10000 messages in a row/.test(String(error)))
      expect(floods.map(({ context }) => context.serverLabel)).toEqual(['weather'])
    })

    test('of its messages no more are read in one turn of the event loop than come in two pieces', async () => {
      const { tools } = toolsOf({ weather: raw('flood') })
      let [turn, most] = [0, 0]
      let isOver = false
      const read = new Map<number, number>()
      const parse = JSON.parse
      JSON.parse = (text, reviver) => {
        read.set(turn, (read.get(turn) ?? 0) + 1)
        return parse(text, reviver)
      }
      const turns = (async () => {
        for (; !isOver; turn++) await nextTurn()
      })()
      try {
        await tools.run(mcpCall('any'), context())
      } finally {
        JSON.parse = parse
        isOver = true
        await turns
      }
      for (const count of read.values()) most = Math.max(most, count)
      const size = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n'.length
      expect(most).toBeGreaterThan(0)
      expect(most).toBeLessThan((2 * 65_536) / size + 100)
    })
  })

  describe('a server that never reads', () => {
    const UNREAD = /left more than 41943040 bytes of messages unread/

    test.each(['pings', 'pings of large ids'])(
      'of %s without end no more are kept than a limit, also with an answer to nothing now and then',
      async (behaviour) => {
        const { tools, told } = toolsOf({ weather: raw(behaviour) })
        expect(await tools.run(mcpCall('any'), context())).toEqual(GONE)
        expect(told.filter(({ error }) => UNREAD.test(String(error)))).toHaveLength(1)
      },
    )

    test('pings before it greets end the connection as well', async () => {
      const { tools, told } = toolsOf({ weather: raw('pings before it greets') })
      expect(await tools.listings?.(declaring('weather'), context())).toMatchObject([{ error: expect.any(String) }])
      expect(told.filter(({ error }) => UNREAD.test(String(error)))).toHaveLength(1)
    })
  })

  describe('a server that sends what answers nothing, without end', () => {
    test.each([
      ['foreign answers', /more than 10000 messages in a row that answer nothing/],
      ['empty objects', /more than 104857600 bytes in a row that answer nothing/],
    ])('%s end the connection', async (behaviour, reason) => {
      const { tools, told } = toolsOf({ weather: raw(behaviour) })
      expect(await tools.run(mcpCall('any'), context())).toEqual(GONE)
      expect(told.filter(({ error }) => reason.test(String(error)))).toHaveLength(1)
    })
  })

  describe('a message of many small values', () => {
    test('a result of 100,000 empty blocks is read in one pass, without a description of each', async () => {
      const { tools, told } = toolsOf({ weather: raw('many blocks') })
      const { output = '' } = await tools.run(mcpCall('any'), context())
      expect(output).toMatch(/^fine\n\[content\]\n/)
      expect(told).toEqual([])
    })

    test('a result of more values than a message may have is not parsed', async () => {
      const { tools, told } = toolsOf({ weather: raw('many values') })
      expect(await tools.run(mcpCall('any'), context())).toEqual(GONE)
      expect(told.filter(({ error }) => /more than 250000 values/.test(String(error)))).toHaveLength(1)
    })

    test('a greeting with 100,000 icons is read in one pass, and none is kept', async () => {
      const { tools, told } = toolsOf({ weather: raw('large greeting') })
      expect(await tools.run(mcpCall('any'), context())).toEqual({ output: 'fine' })
      expect(told).toEqual([])
    })
  })

  describe('a list of tools beyond a limit', () => {
    test.each([
      ['heavy list', /more than 4194304 bytes/],
      ['list of values', /more than 4194304 bytes/],
      ['many tools', /more than 5000 tools/],
      ['endless list', /more than 1000 pages/],
    ])('of a %s no tool is listed, and the host is told why', async (behaviour, reason) => {
      const { tools, told } = toolsOf({ weather: raw(behaviour) })
      expect(await tools.listings?.(declaring('weather'), context())).toMatchObject([{ error: expect.any(String) }])
      expect(told.map(({ error }) => String(error))).toEqual([expect.stringMatching(reason)])
    })
  })

  test('a function receives the lines that a server prints on standard error', async () => {
    const lines: string[] = []
    const stderr = (line: string): void => void lines.push(line)
    const { tools } = toolsOf({ weather: { ...raw('noisy'), stderr } as McpServerConfig })
    await tools.run(mcpCall('any'), context())
    await tools.close()
    expect(lines[0]).toBe('\u001b[2Jready')
    expect(lines[1]).toBe(`${'x'.repeat(1000)}…`)
    expect(lines.length).toBeLessThan(200)
  })

  test('a function that throws at what a server prints fails nothing', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const stderr = (): void => {
      throw new Error('full')
    }
    const { tools } = toolsOf({ weather: { ...raw('noisy'), stderr } as McpServerConfig })
    expect(await tools.run(mcpCall('any'), context())).toEqual({ output: 'fine' })
    await tools.close()
    expect(log).toHaveBeenCalled()
    log.mockRestore()
  })
})
