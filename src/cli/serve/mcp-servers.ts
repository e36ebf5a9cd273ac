import type { McpServerConfig, McpTools } from '../../endpoint/tools/mcp/index.js'
import { isMissing, notInstalled } from '../../shared/missing-package.js'
import { UsageError } from '../io.js'

/** An MCP server named on the command line. */
export interface NamedServer {
  readonly label: string
  readonly config: McpServerConfig
}

/** Parses `label=command` and `label=url` of an option. @throws UsageError */
export function mcpServers(given: readonly string[], option: string): NamedServer[] {
  return distinct(
    given.map((each) => mcpServer(each, option)),
    option,
  )
}

/** Checks that each label occurs once. @throws UsageError */
export function distinct(servers: readonly NamedServer[], where: string): NamedServer[] {
  const repeated = servers.find(({ label }, index) => servers.findIndex((one) => one.label === label) !== index)
  if (repeated === undefined) return [...servers]
  throw new UsageError(`${where}: expected each label once, got ${JSON.stringify(repeated.label)} again`)
}

/** Parses a server. Messages quote no address, which may contain a key. */
function mcpServer(given: string, option: string): NamedServer {
  const at = given.indexOf('=')
  const label = given.slice(0, Math.max(at, 0)).trim()
  const target = given.slice(at + 1).trim()
  if (label === '' || target === '') throw new UsageError(`${option}: expected label=command or label=url`)
  if (!/^https?:\/\//i.test(target)) {
    const [command = '', ...args] = words(target)
    if (isCutPath(target, command, args)) {
      const way = `${label}="C:\\Program Files\\…\\NAME.exe" …`
      throw new UsageError(`${option} ${label}: expected quotes around a path with blanks: ${way}`)
    }
    return { label, config: { command, args } }
  }
  if (!URL.canParse(target)) throw new UsageError(`${option} ${label}: expected an http or https URL`)
  return { label, config: { url: target } }
}

/** Splits a command into words: quotes keep spaces together, and nothing else is special. */
function words(command: string): string[] {
  return Array.from(command.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g), ([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single),
  )
}

/** Whether the command is the beginning of a Windows path with blanks: `C:\Program` of `C:\Program Files\nodejs\node.exe`. */
function isCutPath(target: string, command: string, args: readonly string[]): boolean {
  const isCut = /^[a-z]:[\\/]/i.test(target) && !/\.\w+$/.test(command)
  return isCut && args.some((word) => /^[^-\\/:][^:]*\\/.test(word))
}

/** In a variable, so that neither bundlers nor TypeScript resolve a package that only this needs. */
const PEER = '@modelcontextprotocol/client'

/** Returns the tools of these servers. @throws UsageError if the client package is not installed */
export async function openMcpTools(
  servers: readonly NamedServer[],
  onError: (error: unknown, label: string) => void,
  onOutput: (line: string, label: string) => void,
): Promise<McpTools | undefined> {
  if (servers.length === 0) return undefined
  try {
    await import(PEER)
  } catch (error) {
    if (!isMissing(error, PEER)) throw error
    throw new UsageError(`--mcp: ${notInstalled(PEER, 2)}`, { cause: error })
  }
  const { mcpTools } = await import('../../endpoint/tools/mcp/index.js')
  return mcpTools({
    servers: Object.fromEntries(
      servers.map(({ label, config }) => [label, loggingOutput(config, (line) => onOutput(line, label))]),
    ),
    onError: (error, { serverLabel }) => onError(error, serverLabel),
  })
}

/** Redirects a program's standard error to the log: inherited, it could control the terminal. */
function loggingOutput(config: McpServerConfig, stderr: (line: string) => void): McpServerConfig {
  return 'command' in config ? { ...config, stderr } : config
}
