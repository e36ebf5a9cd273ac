import { check } from '../../errors.js'
import type { HostedCall } from '../tool.js'
import type { McpClient } from './client.js'

/** What every server can have. */
interface ServerRules {
  /** The tools that requests may use; the others are neither listed nor called. Default: all. */
  readonly allowedTools?: readonly string[]
}

/** A client that you connected. It is yours to close, and to connect again. */
export interface McpClientServer extends ServerRules {
  readonly client: McpClient
}

/** A client that is made when it is needed, and again after its connection was lost. `close()` closes it. */
export interface McpConnectServer extends ServerRules {
  /** @param signal - aborts when it has taken too long; what it resolves to afterwards is closed */
  readonly connect: (signal: AbortSignal) => Promise<McpClient>
}

/** A program on this machine, which speaks MCP on its standard input and output. `close()` ends it. */
export interface McpStdioServer extends ServerRules {
  readonly command: string
  readonly args?: readonly string[]
  /** Added to `PATH`, `HOME` and the few other variables that the SDK passes on. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /**
   * Where its standard error goes. Default `inherit`: to that of this process, as it is. A function receives its lines, of
   * at most 1,000 characters, with whatever a terminal would act on; of a flood it receives the first lines and a count.
   */
  readonly stderr?: 'inherit' | 'ignore' | ((line: string) => void)
}

/** A server behind streamable HTTP. */
export interface McpHttpServer extends ServerRules {
  readonly url: string | URL
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: typeof fetch
}

export type McpServerConfig = McpClientServer | McpConnectServer | McpStdioServer | McpHttpServer

/** Where an error happened. */
export interface McpErrorContext {
  readonly serverLabel: string
  /** The call that failed for it; absent while tools were listed. */
  readonly call?: HostedCall
}

/** Options of `mcpTools`. */
export interface McpToolsOptions {
  /**
   * The servers by the `server_label` by which requests ask for them. Only these are ever used: an address, headers or
   * a token that a request brings are not read.
   */
  readonly servers: Readonly<Record<string, McpServerConfig>>
  /** How long a call may go on without an answer or a sign of progress. In milliseconds, default 60,000. */
  readonly timeoutMs?: number
  /** How long a call may take in all, whatever progress it reports. In milliseconds, default 600,000. */
  readonly totalTimeoutMs?: number
  /** How long connecting and listing all tools may take. In milliseconds, default 30,000. */
  readonly listTimeoutMs?: number
  /** For how long a list of tools is used again, unless the server says that it changed. Default 300,000 ms. */
  readonly listMaxAgeMs?: number
  /** Of the result of one call, in bytes of UTF-8. More is cut off, and the text says so. Default 1,000,000. */
  readonly maxOutputBytes?: number
  /**
   * Gets the errors of servers and connections as they were thrown: clients and the model see a sentence without
   * addresses and paths. Default: `console.error`.
   */
  readonly onError?: (error: unknown, context: McpErrorContext) => void
}

/** The options with their defaults. */
export interface Settings extends Required<Omit<McpToolsOptions, 'servers'>> {
  readonly servers: ReadonlyMap<string, McpServerConfig>
}

/** @throws HarmonyResponsesError `bad_option` */
export function settingsOf(options: McpToolsOptions): Settings {
  check(typeof options === 'object' && options !== null, 'options', 'an object', options)
  const { servers, onError = (error) => console.error(error) } = options
  check(typeof servers === 'object' && servers !== null, 'servers', 'an object of servers by their labels', servers)
  for (const [label, server] of Object.entries(servers)) checkServer(server, `servers.${label}`)
  check(typeof onError === 'function', 'onError', 'a function', onError)
  return {
    // A copy by own keys: a label such as `constructor` is no server.
    servers: new Map(Object.entries(servers)),
    timeoutMs: count(options, 'timeoutMs', 60_000),
    totalTimeoutMs: count(options, 'totalTimeoutMs', 600_000),
    listTimeoutMs: count(options, 'listTimeoutMs', 30_000),
    listMaxAgeMs: count(options, 'listMaxAgeMs', 300_000, 0),
    maxOutputBytes: count(options, 'maxOutputBytes', 1_000_000, 100),
    onError,
  }
}

type CountOption = Exclude<keyof Settings, 'servers' | 'onError'>

/** A timer of more milliseconds than this fires at once. */
const MOST = 2 ** 31 - 1

function count(options: McpToolsOptions, name: CountOption, unset: number, least = 1): number {
  const value = options[name] ?? unset
  const isRight = Number.isSafeInteger(value) && value >= least && value <= MOST
  check(isRight, name, `a whole number from ${least} to ${MOST}`, value)
  return value
}

const KINDS = ['client', 'connect', 'command', 'url'] as const

function checkServer(server: McpServerConfig, path: string): void {
  const expected = 'an object with one of client, connect, command and url'
  check(typeof server === 'object' && server !== null, path, expected, server)
  const given = KINDS.filter((kind) => kind in server)
  check(given.length === 1, path, expected, given.length === 0 ? server : given.join(' and '))
  if ('client' in server) checkClient(server.client, `${path}.client`)
  if ('connect' in server) {
    check(typeof server.connect === 'function', `${path}.connect`, 'a function', server.connect)
  }
  if ('command' in server) {
    const isText = typeof server.command === 'string' && server.command !== ''
    check(isText, `${path}.command`, 'the name of a program', server.command)
    const { stderr = 'inherit' } = server
    const isKnown = stderr === 'inherit' || stderr === 'ignore' || typeof stderr === 'function'
    check(isKnown, `${path}.stderr`, 'inherit, ignore or a function', stderr)
  }
  if ('url' in server) {
    check(isHttp(server.url), `${path}.url`, 'an http: or https: address', server.url)
  }
  const { allowedTools } = server
  const isList = Array.isArray(allowedTools) && allowedTools.every((name) => typeof name === 'string')
  check(allowedTools === undefined || isList, `${path}.allowedTools`, 'an array of names', allowedTools)
}

/** @throws HarmonyResponsesError `bad_option` */
export function checkClient(client: unknown, path: string): asserts client is McpClient {
  const { callTool, listTools } = Object(client) as Partial<McpClient>
  const isClient = typeof callTool === 'function' && typeof listTools === 'function'
  check(isClient, path, 'a Client of @modelcontextprotocol/client', client)
}

function isHttp(url: unknown): boolean {
  return URL.canParse(String(url)) && /^https?:$/.test(new URL(String(url)).protocol)
}
