import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport as InMemoryTransport1 } from '@modelcontextprotocol/sdk/inMemory.js'
import { describe, expect, test, vi } from 'vitest'
import type { McpServerConfig } from '../../../../src/endpoint/tools/mcp/index.js'
import type { ToolProgress } from '../../../../src/endpoint/tools/tool.js'
import { fixtureServer } from './fixture-server.mjs'
import { context, declaring, http, inMemory, mcpCall, shared, stdio, toolsOf } from './fixtures.js'

const TRANSPORTS: readonly [string, () => Promise<McpServerConfig>][] = [
  ['stdio', async () => stdio()],
  ['streamable HTTP', async () => ({ url: (await http()).url })],
  ['memory', async () => inMemory().config],
  ['memory, by version 1 of the SDK', async () => version1()],
]

function version1(): McpServerConfig {
  return {
    connect: async () => {
      const [ours, theirs] = InMemoryTransport1.createLinkedPair()
      await fixtureServer({ die: () => void theirs.close() }).server.connect(theirs)
      const client = new Client1({ name: 'test', version: '1' })
      await client.connect(ours)
      return client
    },
  }
}

describe.each(TRANSPORTS)('over %s', (_, config) => {
  // A process takes longer to begin than all of these calls.
  const connected = shared(async () => toolsOf({ weather: await config() }))

  test('a listed tool runs, and its text is the output', async () => {
    const { tools } = connected()
    const [listing] = await tools.listings(declaring('weather'), context())
    expect(listing?.tools?.find(({ name }) => name === 'echo')).toEqual({
      name: 'echo',
      description: 'says echo',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
      annotations: { readOnlyHint: true },
    })
    expect(await tools.run(mcpCall('echo', { text: 'sunny' }), context())).toEqual({ output: 'sunny' })
  })

  test("a tool's own failure is its text as an error", async () => {
    const { tools, told } = connected()
    const before = told.length
    expect(await tools.run(mcpCall('fails'), context())).toEqual({ error: { message: 'no such city' } })
    expect(told).toHaveLength(before)
  })

  test("an error of the protocol keeps its code and the server's words", async () => {
    const { tools, told } = connected()
    const before = told.length
    const { error } = await tools.run(mcpCall('refuses'), context())
    expect(error).toEqual({ code: -31999, message: 'the city is closed' })
    expect(told).toHaveLength(before)
  })

  test('an answer that is no result is a failure', async () => {
    const { tools } = connected()
    const { error } = await tools.run(mcpCall('garbage'), context())
    expect(error?.message).toMatch(/not a tool result|[Ii]nvalid/)
  })

  test('an answer of 5 MB is cut, and says so', async () => {
    const { tools } = connected()
    const { output = '' } = await tools.run(mcpCall('big', { bytes: 5_000_000 }), context())
    expect(output).toHaveLength(1_000_000)
    expect(output).toMatch(/^x+\n\[cut off: 5000000 bytes in all\]$/)
  })

  test('progress is reported, in order', async () => {
    const progress: ToolProgress[] = []
    const { tools } = connected()
    expect(await tools.run(mcpCall('progresses'), context({ progress }))).toEqual({ output: 'done' })
    expect(progress).toEqual([
      { progress: 1, total: 2, message: 'step 1' },
      { progress: 2, total: 2, message: 'step 2' },
    ])
  })

  test('a call that is never answered ends at its time limit', async () => {
    const { tools, told } = toolsOf({ weather: await config() }, { timeoutMs: 50 })
    const { error } = await tools.run(mcpCall('hangs'), context())
    expect(error).toEqual({ message: 'The MCP server did not answer in time.' })
    expect(told).toMatchObject([{ context: { serverLabel: 'weather', call: { name: 'hangs' } } }])
  })

  test('progress without end does not outlast the time in all', async () => {
    const { tools } = toolsOf({ weather: await config() }, { totalTimeoutMs: 100 })
    const { error } = await tools.run(mcpCall('progressesForEver'), context())
    expect(error).toEqual({ message: 'The MCP server did not answer in time.' })
  })

  test('the tools are asked for once, and again after the server said that they changed', async () => {
    const { tools } = toolsOf({ weather: await config() })
    const names = async () =>
      (await tools.listings(declaring('weather'), context())).flatMap(({ tools = [] }) => tools.map(({ name }) => name))
    expect(await names()).not.toContain('late')
    await tools.run(mcpCall('grows'), context())
    await vi.waitUntil(async () => (await names()).includes('late'), { timeout: 110_000 })
  })
})
