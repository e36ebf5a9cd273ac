import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node'
import { afterAll, afterEach, beforeAll, vi } from 'vitest'
import type { McpCallItem } from '../../../../src/core/responses/items.js'
import type { ResponseRequest } from '../../../../src/core/responses/request.js'
import {
  type McpClient,
  type McpErrorContext,
  type McpServerConfig,
  type McpTools,
  type McpToolsOptions,
  mcpTools,
  type ToolContext,
  type ToolProgress,
} from '../../../../src/endpoint/tools/mcp/index.js'
import { fixtureServer } from './fixture-server.mjs'

type Fixture = ReturnType<typeof fixtureServer>

const cleanups: (() => unknown)[] = []

/** Runs after the test, the latest first. */
export function later(cleanup: () => unknown): void {
  cleanups.push(cleanup)
}

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** The result of `open`, once for all tests of a `describe`. It is cleaned up after all of them. */
export function shared<Made>(open: () => Promise<Made>): () => Made {
  let made: Made
  let ownCleanups: (() => unknown)[] = []
  beforeAll(async () => {
    made = await open()
    ownCleanups = cleanups.splice(0)
  })
  afterAll(async () => {
    for (const cleanup of ownCleanups.reverse()) await cleanup()
  })
  return () => made
}

export interface Told {
  readonly error: unknown
  readonly context: McpErrorContext
}

/** Tools that are closed after the test, with the reports to the host. */
export function toolsOf(
  servers: Readonly<Record<string, McpServerConfig>>,
  options: Omit<McpToolsOptions, 'servers'> = {},
): { readonly tools: McpTools; readonly told: Told[] } {
  const told: Told[] = []
  const tools = mcpTools({ servers, onError: (error, context) => void told.push({ error, context }), ...options })
  later(() => tools.close())
  return { tools, told }
}

/**
 * A fixture server as a child process.
 *
 * @param extra - how many tools more it has
 * @param declaring - how many more declare the form of their results
 */
export function stdio(extra = 0, declaring = 0): McpServerConfig {
  const file = fileURLToPath(new URL('fixture-server.mjs', import.meta.url))
  return { command: process.execPath, args: [file, 'stdio', String(extra), String(declaring)], stderr: 'ignore' }
}

/** A child process that sends what the SDK would not. */
export function raw(behaviour: string): McpServerConfig {
  const file = fileURLToPath(new URL('raw-server.mjs', import.meta.url))
  return { command: process.execPath, args: [file, behaviour], stderr: 'ignore' }
}

/** A fixture server in this process: a new one whenever it is connected. */
export function inMemory(options: Parameters<typeof fixtureServer>[0] = {}): {
  readonly config: McpServerConfig
  readonly fixtures: Fixture[]
} {
  const fixtures: Fixture[] = []
  const connect = async (): Promise<Client> => {
    const [ours, theirs] = InMemoryTransport.createLinkedPair()
    const fixture = fixtureServer({ die: () => void theirs.close(), ...options })
    fixtures.push(fixture)
    await fixture.server.connect(theirs)
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(ours)
    return client
  }
  return { config: { connect }, fixtures }
}

/** A fixture server behind streamable HTTP on the loopback, with a session for each client. */
export async function http(declaring = 0): Promise<{
  readonly url: string
  readonly fixtures: Fixture[]
  /** The headers of each request. */
  readonly asked: (readonly [method: string, authorization: string | undefined])[]
  /** As a server that was started anew: it no longer knows any session. */
  forget(): void
}> {
  const fixtures: Fixture[] = []
  const asked: [string, string | undefined][] = []
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>()
  const server = createServer(async (request, response) => {
    asked.push([request.method ?? '', request.headers.authorization])
    const id = request.headers['mcp-session-id']
    const known = sessions.get(String(id))
    if (known !== undefined) return known.handleRequest(request, response)
    if (id !== undefined) return void response.writeHead(404).end()
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (session) => void sessions.set(session, transport),
      onsessionclosed: (session) => void sessions.delete(session),
    })
    const fixture = fixtureServer({ declaring, die: () => server.closeAllConnections() })
    fixtures.push(fixture)
    await fixture.server.connect(transport)
    await transport.handleRequest(request, response)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  later(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    fixtures,
    asked,
    forget: () => sessions.clear(),
  }
}

/** A client that is connected no sooner than `arrive` is called. */
export function lateClient(): { client: McpClient; connect: () => Promise<McpClient>; arrive: () => void } {
  const client = { callTool: vi.fn(), listTools: vi.fn(), close: vi.fn(async () => {}) }
  let arrive = (): void => {}
  const connected = new Promise<McpClient>((resolve) => {
    arrive = () => resolve(client)
  })
  return { client, connect: () => connected, arrive }
}

export function mcpCall(name: string, args: unknown = {}, label = 'weather'): McpCallItem {
  return {
    type: 'mcp_call',
    id: 'mcp_1',
    status: 'in_progress',
    approval_request_id: null,
    arguments: typeof args === 'string' ? args : JSON.stringify(args),
    error: null,
    name,
    output: null,
    server_label: label,
  }
}

/** A request that declares servers by their labels. */
export function declaring(...labels: string[]): ResponseRequest {
  return { tools: labels.map((server_label) => ({ type: 'mcp', server_label })) }
}

/** The context of a call that is not cancelled. */
export function context(
  about: { request?: ResponseRequest; signal?: AbortSignal; progress?: ToolProgress[] } = {},
): ToolContext {
  const { request = declaring('weather'), signal = new AbortController().signal, progress = [] } = about
  const none = { text: '', earlierResults: () => [], before: [], insert: () => false }
  return { request, signal, ...none, report: (each) => void progress.push(each) }
}
