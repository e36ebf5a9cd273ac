import { check } from '../../../shared/errors.js'
import { checkOptions, type OptionTable } from '../../../shared/options/check-options.js'
import { aFunction, aString, listOf, recordOf, that, wholeNumber } from '../../../shared/options/checks.js'
import type { HostedCall } from '../tool.js'
import type { McpClient } from './client.js'

/** Options that every kind of server has. */
interface ServerRules extends Partial<ServerLimits> {
  /** The tools that requests may use; others are neither listed nor called. Default: all. */
  readonly allowedTools?: readonly string[]
  /** Tools of those that requests may not use. Default: none. */
  readonly excludedTools?: readonly string[]
}

/** Limits on the use of a server. Each server may have its own. */
export interface ServerLimits {
  /** Time limit of a call without an answer or a sign of progress. In milliseconds, default 60,000. */
  readonly timeoutMs: number
  /** Time limit of a call in total, whatever progress it reports. In milliseconds, default 600,000. */
  readonly totalTimeoutMs: number
  /** Time limit of connecting and listing all tools. In milliseconds, default 30,000. */
  readonly listTimeoutMs: number
  /** Concurrent calls of one server; more wait for their turn, within the call's time limit. Default 32. */
  readonly concurrency: number
  /** Waiting calls of one server. Any more fail. Default 256. */
  readonly queue: number
}

/** A client that you connected. It is yours to close and to reconnect. */
export interface McpClientServer extends ServerRules {
  /** The connected client. */
  readonly client: McpClient
}

/** A client that is created on demand, and again after its connection was lost. `close()` closes it. */
export interface McpConnectServer extends ServerRules {
  /** @param signal - aborts at the time limit; a client that resolves later is closed */
  readonly connect: (signal: AbortSignal) => Promise<McpClient>
}

/** A program on this machine that speaks MCP on its standard input and output. `close()` ends it. */
export interface McpStdioServer extends ServerRules {
  /** The program: a name in `PATH`, or a path. */
  readonly command: string
  /** Its arguments. Default: none. */
  readonly args?: readonly string[]
  /** Added to `PATH`, `HOME` and the few other variables that the SDK passes on. */
  readonly env?: Readonly<Record<string, string>>
  /** Its working directory. Default: that of this process. */
  readonly cwd?: string
  /**
   * The destination of its standard error. Default `inherit`: that of this process, unchanged. A function receives its
   * lines, cut at 1,000 characters, including terminal control characters; of a flood it receives the first lines and a
   * count.
   */
  readonly stderr?: 'inherit' | 'ignore' | ((line: string) => void)
}

/** A server behind streamable HTTP. */
export interface McpHttpServer extends ServerRules {
  /** The address of its MCP endpoint. */
  readonly url: string | URL
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Sends its requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch
}

/** How an MCP server is reached: by a connected client, a function that connects one, a command, or a URL. */
export type McpServerConfig = McpClientServer | McpConnectServer | McpStdioServer | McpHttpServer

/** The context of an error. */
export interface McpErrorContext {
  /** The label of the server. */
  readonly serverLabel: string
  /** The call that failed because of it; absent while listing tools. */
  readonly call?: HostedCall
}

/** Options of `mcpTools`. */
export interface McpToolsOptions extends Partial<ServerLimits> {
  /**
   * The servers by the `server_label` with which requests select them. Only these are ever used: an address, headers or
   * a token in a request are not read.
   */
  readonly servers: Readonly<Record<string, McpServerConfig>>
  /**
   * The delay before a server that failed twice in a row is connected again, in milliseconds, default 1,000. It doubles
   * with each further failure, up to 64 times. After the first failure there is no delay.
   */
  readonly restartDelayMs?: number
  /** How long a list of tools is reused, unless the server reports a change. Default 300,000 ms. */
  readonly listMaxAgeMs?: number
  /**
   * Limit of the result of one call, in bytes of UTF-8. The rest is cut off, and the text says so. Default 1,000,000.
   */
  readonly maxOutputBytes?: number
  /**
   * Receives the errors of servers and connections as they were thrown: clients and the model see a sentence without
   * addresses and paths. An error that repeats a credential of the server is replaced by one with `[hidden]` in its place.
   * Default: `console.error`.
   */
  readonly onError?: (error: unknown, context: McpErrorContext) => void
}

/** The options with their defaults. */
export interface Settings extends Required<Omit<McpToolsOptions, 'servers'>> {
  readonly servers: ReadonlyMap<string, McpServerConfig>
}

/** Node fires a longer timer at once. */
const MAX_MS = 2 ** 31 - 1

const LIMITS: OptionTable<ServerLimits> = {
  timeoutMs: wholeNumber(1, MAX_MS),
  totalTimeoutMs: wholeNumber(1, MAX_MS),
  listTimeoutMs: wholeNumber(1, MAX_MS),
  concurrency: wholeNumber(1),
  queue: wholeNumber(0),
}

const MCP_TOOLS_OPTIONS: OptionTable<McpToolsOptions> = {
  ...LIMITS,
  servers: recordOf(aServer, 'an object of servers by their labels'),
  restartDelayMs: wholeNumber(1, 3_600_000),
  listMaxAgeMs: wholeNumber(0, MAX_MS),
  maxOutputBytes: wholeNumber(100, MAX_MS),
  onError: aFunction,
}

/** @throws HarmonyResponsesError `bad_option` */
export function settingsOf(options: McpToolsOptions): Settings {
  checkOptions('mcpTools', options, MCP_TOOLS_OPTIONS, ['servers'])
  const { servers, ...others } = options
  const defaults = {
    timeoutMs: 60_000,
    totalTimeoutMs: 600_000,
    listTimeoutMs: 30_000,
    concurrency: 32,
    queue: 256,
    restartDelayMs: 1_000,
    listMaxAgeMs: 300_000,
    maxOutputBytes: 1_000_000,
    onError: (error: unknown) => console.error(error),
  }
  // Copied by own keys: a label such as `constructor` is no server.
  return { ...defaults, ...setOnes(others), servers: new Map(Object.entries(servers)) }
}

/** Returns the limits of a server: its own, or those of all servers. */
export function limitsOf(server: McpServerConfig, settings: ServerLimits): ServerLimits {
  const names = Object.keys(LIMITS) as (keyof ServerLimits)[]
  // biome-ignore lint/plugin: Built from the names of its fields.
  return Object.fromEntries(names.map((name) => [name, server[name] ?? settings[name]])) as unknown as ServerLimits
}

function setOnes(options: Omit<McpToolsOptions, 'servers'>): Partial<Omit<Settings, 'servers'>> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

const names = listOf(
  that((name) => typeof name === 'string', 'a name'),
  'an array of names',
)
const RULES: OptionTable<ServerRules> = { ...LIMITS, allowedTools: names, excludedTools: names }
const texts = recordOf(
  that((value) => typeof value === 'string', 'a string'),
  'an object of strings',
)

/** The options of each kind of server, by the one that only it has. */
const SERVERS: {
  readonly client: OptionTable<McpClientServer>
  readonly connect: OptionTable<McpConnectServer>
  readonly command: OptionTable<McpStdioServer>
  readonly url: OptionTable<McpHttpServer>
} = {
  client: { ...RULES, client: (value, path) => checkClient(value, path) },
  connect: { ...RULES, connect: aFunction },
  command: {
    ...RULES,
    command: that((value) => typeof value === 'string' && value !== '', 'the name of a program'),
    args: listOf(
      that((word) => typeof word === 'string', 'a string'),
      'an array of strings',
    ),
    env: texts,
    cwd: aString,
    stderr: that(
      (value) => value === 'inherit' || value === 'ignore' || typeof value === 'function',
      'inherit, ignore or a function',
    ),
  },
  url: { ...RULES, url: that(isHttp, 'an http: or https: address'), headers: texts, fetch: aFunction },
}
const KINDS = Object.keys(SERVERS) as (keyof typeof SERVERS)[]

function aServer(server: unknown, path: string): void {
  const expected = 'an object with one of client, connect, command and url'
  check(typeof server === 'object' && server !== null, path, expected, server)
  const given = KINDS.filter((kind) => kind in server)
  check(given.length === 1, path, expected, given.length === 0 ? server : given.join(' and '))
  checkOptions(path, server, SERVERS[given[0] as keyof typeof SERVERS] as OptionTable<object>, [], path)
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
