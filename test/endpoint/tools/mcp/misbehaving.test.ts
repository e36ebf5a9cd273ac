import { describe, expect, test, vi } from 'vitest'
import type { McpListing } from '../../../../src/core/responses/mcp-listing.js'
import type { McpTools } from '../../../../src/endpoint/tools/mcp/index.js'
import { context, declaring, http, inMemory, lateClient, mcpCall, raw, stdio, toolsOf } from './fixtures.js'

const LATE = { error: { message: 'The MCP server did not answer in time.' } }
const GONE = { error: { message: 'The MCP server closed the connection before it answered.' } }
const UNREACHABLE = { error: { message: 'The MCP server could not be reached.' } }
const NO_RESULT = { error: { message: 'The MCP server answered with something that is not a tool result.' } }
const NO_LIST = [{ serverLabel: 'weather', error: 'The MCP server could not list its tools.' }]

const listed = (tools: McpTools): Promise<readonly McpListing[]> => tools.listings(declaring('weather'), context())

describe('a server that dies', () => {
  test('a call fails if its child process dies, the host is told, and the next call has a new process', async () => {
    const { tools, told } = toolsOf({ weather: stdio() })
    const before = await tools.run(mcpCall('pid'), context())
    expect(await tools.run(mcpCall('dies'), context())).toEqual(GONE)
    expect(told).toHaveLength(1)
    const { output } = await tools.run(mcpCall('pid'), context())
    expect(output).toMatch(/^\d+$/)
    expect(output).not.toBe(before.output)
  })

  test('a call fails if a signal kills its child process', async () => {
    const { tools } = toolsOf({ weather: stdio() })
    const { output } = await tools.run(mcpCall('pid'), context())
    const hanging = tools.run(mcpCall('hangs'), context())
    await tools.run(mcpCall('echo', { text: 'by now it hangs' }), context())
    process.kill(Number(output), 'SIGKILL')
    expect(await hanging).toEqual(GONE)
  })

  test('all calls in progress fail if a server in memory dies', async () => {
    const { config } = inMemory()
    const { tools } = toolsOf({ weather: config })
    const calls = ['hangs', 'hangs', 'dies'].map((name) => tools.run(mcpCall(name), context()))
    expect(await Promise.all(calls)).toEqual([GONE, GONE, GONE])
  })

  test('a call fails at once if a server behind HTTP dies in the middle of a stream, and later ones are answered', async () => {
    const { url } = await http()
    const { tools } = toolsOf({ weather: { url } })
    expect(await tools.run(mcpCall('diesHalfway'), context())).toEqual(GONE)
    // Pooled sockets of the platform were closed as well, and fail the next requests that use them.
    const isBack = async () => (await tools.run(mcpCall('echo', { text: 'x' }), context())).output === 'x'
    await vi.waitUntil(isBack, { timeout: 110_000 })
  })

  test('a call fails if a server behind HTTP dies before it answers', async () => {
    const { url } = await http()
    const { tools } = toolsOf({ weather: { url } })
    expect(await tools.run(mcpCall('dies'), context())).toEqual(UNREACHABLE)
  })

  test('a listing has an error without details if the server dies before it, and the host has them', async () => {
    const { tools, told } = toolsOf({ weather: raw('dies at once') })
    expect(await listed(tools)).toEqual(NO_LIST)
    expect(told).toMatchObject([{ context: { serverLabel: 'weather' } }])
    expect(told[0]?.error).toBeInstanceOf(Error)
  })
})

describe('a server that is not there', () => {
  test('a program that does not exist is an error of the listing, and of the call, without its path', async () => {
    const { tools, told } = toolsOf({ weather: { command: '/secret/path/of/a/program' } })
    expect(await listed(tools)).toEqual(NO_LIST)
    expect(await tools.run(mcpCall('any'), context())).toEqual(UNREACHABLE)
    expect(told).toMatchObject([{ error: { code: 'ENOENT' } }, { error: { code: 'ENOENT' } }])
  })

  test('an address that refuses connections is an error without the address', async () => {
    const { tools, told } = toolsOf({ weather: { url: 'http://127.0.0.1:1/mcp' } })
    expect(await listed(tools)).toEqual(NO_LIST)
    expect(await tools.run(mcpCall('any'), context())).toEqual(UNREACHABLE)
    expect(told).toHaveLength(2)
  })

  test('the next request connects again to a server that was not there', async () => {
    const { config } = inMemory()
    const connect = vi.fn((config as { connect: () => Promise<never> }).connect)
    connect.mockRejectedValueOnce(new Error('down'))
    const { tools } = toolsOf({ weather: { connect } })
    expect(await listed(tools)).toEqual(NO_LIST)
    expect(await listed(tools)).toMatchObject([{ tools: expect.any(Array) }])
    expect(connect).toHaveBeenCalledTimes(2)
  })

  test('one server that is down takes no other with it', async () => {
    const { tools } = toolsOf({ down: raw('dies at once'), up: inMemory().config })
    const listings = await tools.listings(declaring('down', 'up'), context())
    expect(listings.map(({ serverLabel, error }) => [serverLabel, error])).toEqual([
      ['down', 'The MCP server could not list its tools.'],
      ['up', undefined],
    ])
  })
})

describe('a server that is silent', () => {
  test.each(['never greets', 'never lists'])(
    'the listing of a server that %s fails at its time limit',
    async (behaviour) => {
      const { tools, told } = toolsOf({ weather: raw(behaviour) }, { listTimeoutMs: 300 })
      expect(await listed(tools)).toEqual(NO_LIST)
      expect(told).toHaveLength(1)
    },
  )

  test('connecting for a call counts as time of the call', async () => {
    const { tools } = toolsOf({ weather: { connect: () => new Promise(() => {}) } }, { totalTimeoutMs: 50 })
    expect(await tools.run(mcpCall('any'), context())).toEqual(LATE)
  })

  test('a client that connects too late is closed', async () => {
    const { client, connect, arrive } = lateClient()
    const { tools } = toolsOf({ weather: { connect } }, { listTimeoutMs: 20 })
    expect(await listed(tools)).toEqual(NO_LIST)
    arrive()
    await vi.waitFor(() => expect(client.close).toHaveBeenCalledOnce(), 30_000)
  })
})

describe('a server that sends garbage', () => {
  test('lines that are no JSON are passed over', async () => {
    const { tools } = toolsOf({ weather: raw('no json') })
    expect(await tools.run(mcpCall('any'), context())).toEqual({ output: 'fine' })
  })

  test('a result that is no object never becomes an answer', async () => {
    const { tools } = toolsOf({ weather: raw('no result') }, { timeoutMs: 300 })
    expect(await tools.run(mcpCall('any'), context())).toHaveProperty('error')
  })

  test.each(['bad content', 'strange content'])('%s is not a tool result', async (behaviour) => {
    const { tools, told } = toolsOf({ weather: raw(behaviour) })
    expect(await tools.run(mcpCall('any'), context())).toEqual(NO_RESULT)
    expect(told).toHaveLength(1)
  })

  test('structured content that is nested 50,000 levels deep is a note', async () => {
    const { tools, told } = toolsOf({ weather: raw('deep result') })
    const output = '[structured content: nested too deeply]'
    expect(await tools.run(mcpCall('any'), context())).toEqual({ output })
    expect(told).toEqual([])
  })

  test('a line without end closes the connection', async () => {
    const { tools } = toolsOf({ weather: raw('endless line') })
    expect(await tools.run(mcpCall('any'), context())).toEqual(GONE)
  })

  test('a list that is none is an error of the listing', async () => {
    const { tools } = toolsOf({ weather: raw('garbage list') })
    expect(await listed(tools)).toEqual(NO_LIST)
  })

  test('a list that never ends is an error of the listing', async () => {
    const { tools } = toolsOf({ weather: raw('endless list') })
    expect(await listed(tools)).toEqual(NO_LIST)
  })

  test('tools that are none are left out alone, and the host is told of the first ten and of how many follow', async () => {
    const { tools, told } = toolsOf({ weather: raw('broken tools') })
    const [listing] = await listed(tools)
    expect(listing?.tools).toEqual([
      { name: 'odd', inputSchema: {} },
      { name: 'any', inputSchema: { type: 'object' } },
    ])
    expect(told).toHaveLength(11)
    expect(String(told[0]?.error)).toBe('Error: A tool is left out: it is no object.')
    expect(String(told[4]?.error)).toMatch(/its name "x{256}\.\.\." is longer than 256 characters/)
    expect(String(told[10]?.error)).toBe('Error: 16 more tools are left out.')
  })

  test('a tool of 10,000 properties is left out, and the host is told', async () => {
    const { tools, told } = toolsOf({ weather: raw('large tool') })
    expect(await listed(tools)).toMatchObject([{ tools: [{ name: 'any' }] }])
    expect(String(told[0]?.error)).toContain('"large" has more than 262144 bytes')
  })

  test('a tool whose schema is too deep is left out, and the host is told', async () => {
    const { tools, told } = toolsOf({ weather: raw('deep schema') })
    expect(await listed(tools)).toMatchObject([{ tools: [{ name: 'any' }] }])
    expect(String(told[0]?.error)).toContain('"deep" is nested too deeply')
  })
})

describe('a server that is large', () => {
  test.each([
    ['stdio', async () => stdio(1000)],
    ['memory', async () => inMemory({ extra: 1000 }).config],
  ])('all of 1,000 tools in pages are listed over %s', async (_, config) => {
    const { tools } = toolsOf({ weather: await config() })
    const [listing] = await listed(tools)
    const names = listing?.tools?.map(({ name }) => name) ?? []
    expect(names.filter((name) => name.startsWith('extra'))).toHaveLength(1000)
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('a server behind HTTP that forgets its sessions', () => {
  test('a call begins a new session and runs once if the server forgot the old one', async () => {
    const server = await http()
    const { tools, told } = toolsOf({ weather: { url: server.url } })
    expect(await tools.run(mcpCall('echo', { text: '1' }), context())).toEqual({ output: '1' })
    server.forget()
    expect(await tools.run(mcpCall('echo', { text: '2' }), context())).toEqual({ output: '2' })
    expect(server.fixtures.map(({ seen }) => seen)).toEqual([['call echo'], ['call echo']])
    expect(told).toEqual([])
  })
})
