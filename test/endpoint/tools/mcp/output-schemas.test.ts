import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport as InMemoryTransport1 } from '@modelcontextprotocol/sdk/inMemory.js'
import { AjvJsonSchemaValidator as AjvJsonSchemaValidator1 } from '@modelcontextprotocol/sdk/validation/ajv-provider.js'
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import { describe, expect, test, vi } from 'vitest'
import type { McpClient, McpServerConfig } from '../../../../src/endpoint/tools/mcp/index.js'
import { fixtureServer } from './fixture-server.mjs'
import { context, declaring, http, mcpCall, shared, stdio, toolsOf } from './fixtures.js'

/** How many tools have a schema of their own, besides those with a result to show. */
const MANY = 3000

/** A client of the host's own, with the validator that the SDK gives it. */
async function version2(): Promise<McpClient> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await fixtureServer({ declaring: MANY }).server.connect(theirs)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(ours)
  return client
}

async function version1(): Promise<McpClient> {
  const [ours, theirs] = InMemoryTransport1.createLinkedPair()
  await fixtureServer({ declaring: MANY }).server.connect(theirs)
  const client = new Client1({ name: 'test', version: '1' })
  await client.connect(ours)
  return client
}

const SERVERS: readonly [string, () => Promise<McpServerConfig>][] = [
  ['stdio', async () => stdio(0, MANY)],
  ['streamable HTTP', async () => ({ url: (await http(MANY)).url })],
  ["a host's connect()", async () => ({ connect: version2 })],
  ["a host's client", async () => ({ client: await version2() })],
  ["a host's client of version 1", async () => ({ client: await version1() })],
]

/** The validators by which the SDKs compile schemas unless they are given another. */
const compile = [AjvJsonSchemaValidator, AjvJsonSchemaValidator1].map(({ prototype }) =>
  vi.spyOn(prototype, 'getValidator'),
)

describe.each(SERVERS)('schemas of results, over %s', (_, config) => {
  const connected = shared(async () => {
    const { tools, told } = toolsOf({ weather: await config() })
    const [listing] = await tools.listings(declaring('weather'), context())
    return { tools, told, listing }
  })

  test('all tools are listed, without them', () => {
    const { listing, told } = connected()
    const names = listing?.tools?.map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['kept', 'contradicted', 'invalid', 'declaring0', `declaring${MANY - 1}`]),
    )
    expect(JSON.stringify(listing)).not.toContain('field7')
    expect(told).toEqual([])
  })

  test.each([
    ['that keeps to it', 'kept', '21 degrees'],
    ['that contradicts it', 'contradicted', '{"degrees":21}'],
    ['without structured content', 'omitted', 'only text'],
    ['whose schema is invalid', 'invalid', 'fine'],
    ['whose schema takes exponential time', 'backtracking', 'slow'],
    ['of one of many', `declaring${MANY - 1}`, `declared ${MANY - 1}`],
  ])('a result %s comes through as text', async (_, name, output) => {
    const { tools, told } = connected()
    expect(await tools.run(mcpCall(name), context())).toEqual({ output })
    expect(told).toEqual([])
  })

  test('none of them is compiled', async () => {
    const { tools } = connected()
    await tools.run(mcpCall('kept'), context())
    for (const spy of compile) expect(spy).not.toHaveBeenCalled()
  })
})

describe('a client of the host that negotiates the protocol of 2026', () => {
  /** A server whose tool wants a parameter as the header of this name, and the headers that it got. */
  function wanting(): { config: McpServerConfig; got: (string | null)[]; want(header: string): void } {
    let wanted = 'City'
    const got: (string | null)[] = []
    const handler = createMcpHandler(() => {
      const server = new McpServer({ name: 'test', version: '1' })
      const city = { type: 'string', 'x-mcp-header': wanted }
      const inputSchema = fromJsonSchema<{ city: string }>({ type: 'object', properties: { city } })
      const outputSchema = fromJsonSchema<{ city: string }>({
        type: 'object',
        properties: { city: { type: 'string' } },
      })
      server.registerTool('weather', { inputSchema, outputSchema }, ({ city }) => ({
        content: [{ type: 'text', text: `sunny in ${city}` }],
        structuredContent: { city },
      }))
      return server
    })
    const connect = async (): Promise<McpClient> => {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
      const transport = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
        async fetch(url, init) {
          const request = new Request(url, init)
          if (request.headers.get('mcp-method') === 'tools/call') got.push(request.headers.get(`mcp-param-${wanted}`))
          return handler.fetch(request)
        },
      })
      await client.connect(transport)
      expect(client.getProtocolEra()).toBe('modern')
      return client
    }
    return {
      config: { connect },
      got,
      want(header) {
        wanted = header
      },
    }
  }
  const sunny = { output: 'sunny in Rome' }

  test('parameters that a listed tool wants as headers are sent so', async () => {
    const { config, got } = wanting()
    const { tools } = toolsOf({ weather: config })
    await tools.listings(declaring('weather'), context())
    expect(await tools.run(mcpCall('weather', { city: 'Rome' }), context())).toEqual(sunny)
    expect(got).toEqual(['Rome'])
  })

  test('a tool that wants others by now, or was never listed, is listed anew and called again', async () => {
    const { config, got, want } = wanting()
    const { tools } = toolsOf({ weather: config })
    expect(await tools.run(mcpCall('weather', { city: 'Rome' }), context())).toEqual(sunny)
    want('Place')
    expect(await tools.run(mcpCall('weather', { city: 'Rome' }), context())).toEqual(sunny)
    expect(got).toEqual([null, 'Rome', null, 'Rome'])
  })
})
