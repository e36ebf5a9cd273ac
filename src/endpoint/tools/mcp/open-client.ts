import { callSafely } from '../../../shared/call-safely.js'
import { HarmonyResponsesError } from '../../../shared/errors.js'
import { boundedFetch } from './bounded-fetch.js'
import type { McpClient, McpTransport } from './client.js'
import { whileWanted } from './deadline.js'
import { checkClient, type McpHttpServer, type McpServerConfig, type McpStdioServer } from './options.js'
import { outputLines } from './output-lines.js'
import { type Output, onePieceATurn, readInTurns } from './read-in-turns.js'
import { reportLostStreams } from './report-lost-streams.js'
import { sendInOrder } from './send-in-order.js'

/** A connected client. */
export interface Opened {
  readonly client: McpClient
  /** Ends the connection, the session and the process, if this library opened them. Never throws. */
  close(): Promise<void>
}

/** The parts of `@modelcontextprotocol/client` 2 that are used. */
interface Sdk {
  readonly Client: new (
    info: object,
    options: object,
  ) => McpClient & { connect(to: object, how: object): Promise<void> }
  readonly StreamableHTTPClientTransport: new (url: URL, options: object) => McpTransport
  readonly StdioClientTransport: new (options: object) => McpTransport
}

/** In a variable, so that bundlers and TypeScript do not resolve a package that other kinds of servers do not need. */
const PACKAGE = '@modelcontextprotocol/client'

/** The SDK stops after 64 pages by default. */
const MOST_PAGES = 1000

/** The SDK's own validator runs the regular expressions of a server, for which no time-out exists. */
const ACCEPTS_ALL = { getValidator: () => (data: unknown) => ({ valid: true, data, errorMessage: undefined }) }

/**
 * Connects to a server.
 *
 * @param ms - the time limit of one request of the handshake
 * @param signal - aborts at the time limit of the whole
 * @throws whatever the SDK or the host's own `connect` throws
 */
export async function openClient(config: McpServerConfig, ms: number, signal: AbortSignal): Promise<Opened> {
  if ('client' in config) return { client: config.client, async close() {} }
  if ('connect' in config) return openByHost(config.connect, signal)
  const transport = 'command' in config ? await stdioTransport(config) : await httpTransport(config)
  const { Client } = await load<Sdk>(PACKAGE)
  const options = { listMaxPages: MOST_PAGES, jsonSchemaValidator: ACCEPTS_ALL }
  const client = new Client({ name: 'harmony-responses', version: '1' }, options)
  const opened = { client, close: () => quietly(() => closeAll(client, transport)) }
  try {
    await whileWanted(client.connect(transport, { timeout: ms }), signal)
  } catch (error) {
    await opened.close()
    throw error
  }
  return opened
}

async function openByHost(connect: (signal: AbortSignal) => Promise<McpClient>, signal: AbortSignal): Promise<Opened> {
  const connecting = Promise.resolve(connect(signal))
  try {
    const client = await whileWanted(connecting, signal)
    checkClient(client, 'the result of connect()')
    return { client, close: () => quietly(() => client.close()) }
  } catch (error) {
    // A client that connects too late would otherwise stay open.
    if (signal.aborted) connecting.then((client) => client.close()).catch(() => {})
    throw error
  }
}

async function stdioTransport(server: McpStdioServer): Promise<McpTransport> {
  const { command, args = [], env, cwd, stderr = 'inherit' } = server
  const { StdioClientTransport } = await load<Sdk>(`${PACKAGE}/stdio`)
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    ...(env !== undefined && { env: { ...env } }),
    ...(cwd !== undefined && { cwd }),
    stderr: typeof stderr === 'function' ? 'pipe' : stderr,
  })
  sendInOrder(transport)
  readInTurns(transport)
  if (typeof stderr === 'function') forwardLines(transport, stderr)
  return transport
}

function forwardLines(transport: McpTransport, take: (line: string) => void): void {
  const { stderr } = transport as { readonly stderr?: Output | null }
  if (!stderr) return
  const lines = outputLines((line) => callSafely(take, line, (error) => console.error(error)))
  stderr.on('data', (piece) => lines.push(piece))
  stderr.on('end', () => lines.end())
  onePieceATurn(stderr)
}

async function httpTransport({ url, headers, fetch = globalThis.fetch }: McpHttpServer): Promise<McpTransport> {
  const { StreamableHTTPClientTransport } = await load<Sdk>(PACKAGE)
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    ...(headers !== undefined && { requestInit: { headers: { ...headers } } }),
    fetch: boundedFetch(fetch),
  })
  reportLostStreams(transport)
  return transport
}

/** The time limit for a server to end a session. */
const GOODBYE_MS = 2000

async function closeAll(client: McpClient, transport: McpTransport): Promise<void> {
  const ended = transport.terminateSession?.()
  if (ended !== undefined) await quietly(() => whileWanted(ended, AbortSignal.timeout(GOODBYE_MS)))
  await client.close()
  // A client whose handshake failed has dropped its transport, which may still have a process.
  await transport.close()
}

async function quietly(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch {
    // Ignored: the session has ended either way.
  }
}

async function load<Module>(name: string): Promise<Module> {
  try {
    return await import(/* webpackIgnore: true */ /* @vite-ignore */ name)
  } catch (error) {
    const { message } = Object(error) as { message?: unknown }
    const isMissing = typeof message === 'string' && /find|resolve/i.test(message) && message.includes(PACKAGE)
    if (!isMissing) throw error
    const advice = `mcpTools: ${PACKAGE} is not installed: npm install ${PACKAGE}@2`
    throw new HarmonyResponsesError('bad_option', advice, { cause: error })
  }
}
