import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { describe, expect, test, vi } from 'vitest'
import { fixtureServer } from './fixture-server.mjs'
import { context, declaring, http, inMemory, lateClient, later, mcpCall, raw, stdio, toolsOf } from './fixtures.js'

const CANCELLED = { error: { message: 'The call was cancelled.' } }

describe('cancellation', () => {
  test('a cancellation reaches the server by the protocol, and the call ends at once', async () => {
    const { config, fixtures } = inMemory()
    const { tools, told } = toolsOf({ weather: config })
    await tools.listings(declaring('weather'), context())
    const abort = new AbortController()
    const running = tools.run(mcpCall('hangs'), context({ signal: abort.signal }))
    await fixtures[0]?.until('hangs')
    abort.abort()
    expect(await running).toEqual(CANCELLED)
    await fixtures[0]?.until('cancelled')
    expect(told).toEqual([])
  })

  test('a cancellation reaches a server behind HTTP', async () => {
    const server = await http()
    const { tools } = toolsOf({ weather: { url: server.url } })
    await tools.listings(declaring('weather'), context())
    const abort = new AbortController()
    const running = tools.run(mcpCall('hangs'), context({ signal: abort.signal }))
    await server.fixtures[0]?.until('hangs')
    abort.abort()
    expect(await running).toEqual(CANCELLED)
    await server.fixtures[0]?.until('cancelled')
  })

  test('a call that exceeds its time limit is cancelled at the server', async () => {
    const { config, fixtures } = inMemory()
    const { tools } = toolsOf({ weather: config }, { timeoutMs: 20 })
    await tools.run(mcpCall('hangs'), context())
    await fixtures[0]?.until('cancelled')
  })

  test('a call that is cancelled before it begins never reaches the server', async () => {
    const { config, fixtures } = inMemory()
    const { tools } = toolsOf({ weather: config })
    await tools.listings(declaring('weather'), context())
    expect(await tools.run(mcpCall('echo'), context({ signal: AbortSignal.abort() }))).toEqual(CANCELLED)
    expect(fixtures[0]?.seen).toEqual(['list'])
  })

  test('a listing that is no longer awaited does not report its failure', async () => {
    const { tools, told } = toolsOf({ weather: { connect: () => new Promise(() => {}) } })
    const abort = new AbortController()
    const listing = tools.listings(declaring('weather'), { signal: abort.signal })
    abort.abort()
    expect(await listing).toMatchObject([{ error: expect.any(String) }])
    expect(told).toEqual([])
  })

  test('one request that leaves does not take the connection from another', async () => {
    const { config, fixtures } = inMemory()
    const { tools } = toolsOf({ weather: config })
    const abort = new AbortController()
    const left = tools.listings(declaring('weather'), { signal: abort.signal })
    const stayed = tools.listings(declaring('weather'), context())
    abort.abort()
    expect(await left).toMatchObject([{ error: expect.any(String) }])
    expect(await stayed).toMatchObject([{ tools: expect.any(Array) }])
    expect(fixtures).toHaveLength(1)
  })
})

describe('listings', () => {
  test('many requests at once connect once and list once', async () => {
    const { config, fixtures } = inMemory()
    const { tools } = toolsOf({ weather: config })
    await Promise.all(Array.from({ length: 10 }, () => tools.listings(declaring('weather'), context())))
    expect(fixtures.map(({ seen }) => seen)).toEqual([['list']])
  })

  test('a list is not used again once it is too old', async () => {
    const { config, fixtures } = inMemory()
    const { tools } = toolsOf({ weather: config }, { listMaxAgeMs: 0 })
    await tools.listings(declaring('weather'), context())
    await tools.listings(declaring('weather'), context())
    expect(fixtures.map(({ seen }) => seen)).toEqual([['list', 'list']])
  })

  test('a list is not used again once its connection was lost', async () => {
    const { config, fixtures } = inMemory()
    const { tools } = toolsOf({ weather: config })
    await tools.listings(declaring('weather'), context())
    await fixtures[0]?.server.close()
    await tools.listings(declaring('weather'), context())
    expect(fixtures.map(({ seen }) => seen)).toEqual([['list'], ['list']])
  })
})

describe("the host's own client", () => {
  async function connected() {
    const [ours, theirs] = InMemoryTransport.createLinkedPair()
    const fixture = fixtureServer()
    await fixture.server.connect(theirs)
    const client = new Client({ name: 'host', version: '1' })
    await client.connect(ours)
    return { client, fixture }
  }

  test("the host's own client is used as it is, and stays open", async () => {
    const { client } = await connected()
    const { tools } = toolsOf({ weather: { client } })
    expect(await tools.run(mcpCall('echo', { text: 'a' }), context())).toEqual({ output: 'a' })
    await tools.close()
    expect(await client.listTools()).toMatchObject({ tools: expect.any(Array) })
    await client.close()
  })

  test("the host's own client keeps its own handler of changed lists", async () => {
    const { client, fixture } = await connected()
    const told = vi.fn()
    client.setNotificationHandler('notifications/tools/list_changed', told)
    const { tools } = toolsOf({ weather: { client } })
    await tools.listings(declaring('weather'), context())
    await tools.run(mcpCall('grows'), context())
    await vi.waitFor(() => expect(told).toHaveBeenCalledOnce(), 30_000)
    await tools.listings(declaring('weather'), context())
    expect(fixture.seen).toEqual(['list', 'call grows', 'list'])
    await client.close()
  })

  test("the host's own client fails calls while it is not connected, and works again once the host connected it", async () => {
    const { client } = await connected()
    const { tools } = toolsOf({ weather: { client } })
    await client.close()
    expect(await tools.run(mcpCall('echo'), context())).toEqual({
      error: { message: 'The MCP server could not be reached.' },
    })
    const [ours, theirs] = InMemoryTransport.createLinkedPair()
    await fixtureServer().server.connect(theirs)
    await client.connect(ours)
    expect(await tools.run(mcpCall('echo', { text: 'b' }), context())).toEqual({ output: 'b' })
    await client.close()
  })
})

describe('close()', () => {
  test('close() ends the child process, and fails the calls in progress', async () => {
    const { tools } = toolsOf({ weather: stdio() })
    const { output } = await tools.run(mcpCall('pid'), context())
    const hanging = tools.run(mcpCall('hangs'), context())
    await tools.close()
    expect(await hanging).toHaveProperty('error')
    expect(() => process.kill(Number(output), 0)).toThrow('ESRCH')
  })

  test('close() ends a process that does not want to end', async () => {
    const { tools } = toolsOf({ weather: raw('stays') })
    const { output } = await tools.run(mcpCall('any'), context())
    await tools.close()
    expect(() => process.kill(Number(output), 0)).toThrow('ESRCH')
  })

  test('close() ends a process that never greeted', async () => {
    const pidFile = join(mkdtempSync(join(tmpdir(), 'mcp-')), 'pid')
    later(() => rmSync(dirname(pidFile), { recursive: true }))
    const { tools } = toolsOf({ weather: { ...raw('never greets'), env: { PID_FILE: pidFile } } })
    const listing = tools.listings(declaring('weather'), context())
    await vi.waitUntil(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '', { timeout: 110_000 })
    await tools.close()
    expect(await listing).toMatchObject([{ error: expect.any(String) }])
    expect(() => process.kill(Number(readFileSync(pidFile, 'utf8')), 0)).toThrow('ESRCH')
  })

  test('close() ends the session of a server behind HTTP', async () => {
    const server = await http()
    const { tools } = toolsOf({ weather: { url: server.url } })
    await tools.run(mcpCall('echo'), context())
    await tools.close()
    expect(server.asked.at(-1)?.[0]).toBe('DELETE')
  })

  test('close() ends a connection that is still being made', async () => {
    const { client, connect, arrive } = lateClient()
    const { tools } = toolsOf({ weather: { connect } })
    const listing = tools.listings(declaring('weather'), context())
    await tools.close()
    expect(await listing).toMatchObject([{ error: expect.any(String) }])
    arrive()
    await vi.waitFor(() => expect(client.close).toHaveBeenCalledOnce(), 30_000)
  })

  test('close() leaves nothing that could be called: no later call starts a process', async () => {
    const { config, fixtures } = inMemory()
    const { tools } = toolsOf({ weather: config })
    await tools.close()
    await tools.close()
    expect(await tools.run(mcpCall('echo'), context())).toHaveProperty('error')
    expect(fixtures).toEqual([])
  })
})
