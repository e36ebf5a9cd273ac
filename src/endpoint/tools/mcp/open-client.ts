import { callSafely } from '../../../shared/call-safely.js'
import { HarmonyResponsesError } from '../../../shared/errors.js'
import { loadPackage } from '../../../shared/missing-package.js'
import { batchFlaw } from '../../../shared/system/platform/batch-files.js'
import { whileWanted } from '../deadline.js'
import { boundedFetch } from './bounded-fetch.js'
import type { McpClient, McpTransport } from './client.js'
import { checkClient, type McpHttpServer, type McpServerConfig, type McpStdioServer } from './options.js'
import { outputLines } from './output-lines.js'
import { type Output, onePieceATurn, readInTurns } from './read-in-turns.js'
import { reconnections } from './reconnections.js'
import { RequestStreams } from './request-streams.js'
import { concealerOf } from './secrets.js'
import { shortenGreeting } from './shorten-greeting.js'
import { Traffic } from './traffic.js'
import { type TransportHooks, watchTransport } from './watch-transport.js'

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

/** The SDK's own validator runs the regular expressions of a server, for which no time-out exists. */
const ACCEPTS_ALL = { getValidator: () => (data: unknown) => ({ valid: true, data, errorMessage: undefined }) }

/**
 * Connects to a server.
 *
 * @param ms - the time limit of one request of the handshake
 * @param signal - aborts at the time limit of the whole
 * @param hooks - for the transport, unless the host opens it
 * @throws whatever the SDK or the host's own `connect` throws
 */
export async function openClient(
  config: McpServerConfig,
  ms: number,
  signal: AbortSignal,
  hooks: TransportHooks,
): Promise<Opened> {
  if ('client' in config) return { client: config.client, async close() {} }
  if ('connect' in config) return openByHost(config.connect, signal)
  const traffic = new Traffic((error) => hooks.onExcess(transport, error))
  const transport =
    'command' in config
      ? await stdioTransport(config, traffic)
      : await httpTransport(config, ms, traffic, hooks.onError)
  shortenGreeting(transport)
  watchTransport(transport, hooks, traffic)
  const { Client } = await loadPackage<Sdk>('mcpTools', PACKAGE, 2)
  const client = new Client({ name: 'harmony-responses', version: '1' }, { jsonSchemaValidator: ACCEPTS_ALL })
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

async function stdioTransport(server: McpStdioServer, traffic: Traffic): Promise<McpTransport> {
  const { command, args = [], env, cwd, stderr = 'inherit' } = server
  const flaw = batchFlaw(server)
  if (flaw !== undefined) throw new HarmonyResponsesError('bad_option', `mcpTools: ${flaw}`)
  const { StdioClientTransport } = await loadPackage<Sdk>('mcpTools', PACKAGE, 2, '/stdio')
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    ...(env !== undefined && { env: { ...env } }),
    ...(cwd !== undefined && { cwd }),
    stderr: typeof stderr === 'function' ? 'pipe' : stderr,
  })
  sendInOrder(transport)
  readInTurns(transport, traffic)
  if (typeof stderr === 'function') {
    const conceal = concealerOf(server)
    forwardLines(transport, (line) => stderr(conceal.text(line)))
  }
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

async function httpTransport(
  { url, headers, fetch = globalThis.fetch }: McpHttpServer,
  ms: number,
  traffic: Traffic,
  onError: (error: unknown) => void,
): Promise<McpTransport> {
  const { StreamableHTTPClientTransport } = await loadPackage<Sdk>('mcpTools', PACKAGE, 2)
  const streams = new RequestStreams()
  const again = reconnections(() => streams.isWaiting)
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    ...(headers !== undefined && { requestInit: { headers: { ...headers } } }),
    fetch: boundedFetch(streams.fetch(fetch), traffic, onError),
    reconnectionScheduler: again.schedule,
  })
  streams.bind(transport, ms, again.answered)
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

interface SendingTransport {
  send(message: unknown, options?: object): Promise<void>
}

/**
 * Sends messages one after the other. While a server's process lags in reading, the SDK adds a listener to its input
 * for each message that it sends, and Node warns of an eleventh.
 */
function sendInOrder(transport: McpTransport): void {
  // biome-ignore lint/plugin: The SDK is an optional peer, so only its structure is known here.
  const sending = transport as unknown as SendingTransport
  const send = sending.send.bind(sending)
  let last: Promise<unknown> = Promise.resolve()
  sending.send = (message, options) => {
    const sent = last.then(() => send(message, options))
    // The sender of a message handles its failure.
    last = sent.catch(() => {})
    return sent
  }
}
