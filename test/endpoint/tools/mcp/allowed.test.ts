import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { McpCallItem } from '../../../../src/core/responses/items.js'
import type { McpTool, ResponseRequest } from '../../../../src/core/responses/request.js'
import { context, declaring, http, inMemory, later, mcpCall, toolsOf } from './fixtures.js'

const NOT_ALLOWED = { error: { code: -32602, message: 'The request does not allow this tool.' } }

function allowing(allowed_tools: McpTool['allowed_tools']): ResponseRequest {
  return { tools: [{ type: 'mcp', server_label: 'weather', allowed_tools }] }
}

describe('the tools that a request allows', () => {
  test.each<[string, McpTool['allowed_tools'], boolean, boolean]>([
    ['nothing about it', undefined, true, true],
    ['null', null, true, true],
    ['a name', ['echo'], true, false],
    ['another name', ['pid'], false, false],
    ['no name', [], false, false],
    ['names in a filter', { tool_names: ['arguments'] }, false, true],
    ['what only reads', { read_only: true }, true, false],
    ['what also writes', { read_only: false }, false, true],
    ['a name that only reads', { tool_names: ['echo', 'arguments'], read_only: true }, true, false],
  ])('the same tools are listed and run where allowed_tools says %s', async (_, allowed, echo, args) => {
    const { config, fixtures } = inMemory()
    const { tools } = toolsOf({ weather: config })
    const request = allowing(allowed)
    const [listing] = await tools.listings(request, context())
    const names = listing?.tools?.map(({ name }) => name) ?? []
    expect([names.includes('echo'), names.includes('arguments')]).toEqual([echo, args])
    const results = [
      await tools.run(mcpCall('echo', { text: 'x' }), context({ request })),
      await tools.run(mcpCall('arguments'), context({ request })),
    ]
    expect(results).toEqual([echo ? { output: 'x' } : NOT_ALLOWED, args ? { output: '{}' } : NOT_ALLOWED])
    expect(fixtures[0]?.seen.filter((event) => event.startsWith('call'))).toHaveLength(Number(echo) + Number(args))
  })

  test('two declarations of one server allow what either does, and are listed once', async () => {
    const { tools } = toolsOf({ weather: inMemory().config })
    const request = { tools: [...(allowing(['echo']).tools ?? []), ...(allowing(['pid']).tools ?? [])] }
    const listings = await tools.listings(request, context())
    expect(listings.map(({ tools = [] }) => tools.map(({ name }) => name))).toEqual([['echo', 'pid']])
  })

  test('a server that the request does not declare runs nothing', async () => {
    const { config, fixtures } = inMemory()
    const { tools } = toolsOf({ weather: config })
    expect(await tools.run(mcpCall('echo'), context({ request: {} }))).toEqual(NOT_ALLOWED)
    expect(fixtures).toEqual([])
  })

  test('a call that the user approved runs although the request does not declare the server again', async () => {
    const { tools } = toolsOf({ weather: inMemory().config })
    const call: McpCallItem = { ...mcpCall('echo', { text: 'x' }), approval_request_id: 'mcpr_1' }
    expect(await tools.run(call, context({ request: {} }))).toEqual({ output: 'x' })
    expect(await tools.run(call, context({ request: allowing([]) }))).toEqual(NOT_ALLOWED)
  })

  test("no request widens the operator's offer, nor does an approval", async () => {
    const { config } = inMemory()
    const { tools } = toolsOf({ weather: { ...config, allowedTools: ['echo'] } })
    const [listing] = await tools.listings(allowing(['echo', 'pid']), context())
    expect(listing?.tools?.map(({ name }) => name)).toEqual(['echo'])
    const approved: McpCallItem = { ...mcpCall('pid'), approval_request_id: 'mcpr_1' }
    expect(await tools.run(approved, context())).toEqual(NOT_ALLOWED)
    expect(await tools.run(mcpCall('echo', { text: 'x' }), context())).toEqual({ output: 'x' })
  })

  test('a tool that the server does not have is an error of the protocol', async () => {
    const { tools } = toolsOf({ weather: inMemory().config })
    const { error } = await tools.run(mcpCall('constructor'), context())
    expect(error).toEqual({ code: -32602, message: 'Unknown tool: constructor' })
  })
})

describe('which calls are answered', () => {
  test('the calls of the configured servers are answered, by their labels', () => {
    const { tools } = toolsOf({ weather: inMemory().config })
    expect(tools.answers(mcpCall('echo'))).toBe(true)
    for (const label of ['github', 'constructor', '__proto__', '']) {
      expect(tools.answers(mcpCall('echo', {}, label))).toBe(false)
    }
    expect(tools.answers({ ...mcpCall('echo'), type: 'web_search_call' } as never)).toBe(false)
  })

  test('a call of another server is an error that the model sees', async () => {
    const { tools } = toolsOf({ weather: inMemory().config })
    const call = mcpCall('echo', {}, 'github')
    expect(await tools.run(call, context())).toEqual({
      error: { message: 'No MCP server is configured for this call.' },
    })
  })

  test('a server that is not configured has no listing', async () => {
    const { tools } = toolsOf({ weather: inMemory().config })
    expect(await tools.listings(declaring('github', '__proto__', 'toString'), context())).toEqual([])
  })
})

describe("a request's own server", () => {
  test("a request's own server is never asked, and its credentials reach no server", async () => {
    const knocks: string[] = []
    const attacker = createServer((request, response) => {
      knocks.push(request.url ?? '')
      response.end()
    })
    await new Promise<void>((resolve) => void attacker.listen(0, '127.0.0.1', resolve))
    later(() => attacker.close())
    const server_url = `http://127.0.0.1:${(attacker.address() as AddressInfo).port}/mcp`
    const server = await http()
    const { tools } = toolsOf({ weather: { url: server.url, headers: { authorization: 'Bearer operator' } } })
    const theirs = {
      server_url,
      authorization: 'client',
      headers: { authorization: 'Bearer client', cookie: 'a=b' },
      connector_id: 'connector_gmail',
      tunnel_id: 't',
    }
    const request: ResponseRequest = {
      tools: ['weather', 'other'].map((server_label) => ({ type: 'mcp', server_label, ...theirs })),
    }
    const listings = await tools.listings(request, context())
    expect(listings.map(({ serverLabel }) => serverLabel)).toEqual(['weather'])
    expect(await tools.run(mcpCall('echo', { text: 'x' }), context({ request }))).toEqual({ output: 'x' })
    await tools.run(mcpCall('echo', {}, 'other'), context({ request }))
    expect(knocks).toEqual([])
    expect(new Set(server.asked.map(([, authorization]) => authorization))).toEqual(new Set(['Bearer operator']))
    expect(JSON.stringify(listings)).not.toMatch(/client|127\.0\.0\.1/)
  })
})
