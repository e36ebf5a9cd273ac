import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { context, declaring, later, mcpCall, toolsOf } from './fixtures.js'

const MB = 1_048_576

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
      // What is on its way is in the buffers of two sockets.
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
