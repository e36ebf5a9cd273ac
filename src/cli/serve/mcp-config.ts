import * as z from 'zod'
import { toDotPath } from 'zod/v4/core'
import type { McpServerConfig } from '../../endpoint/tools/mcp/index.js'
import { complaint, type Io, messageOf, nameOf, readFileOrStdin, UsageError } from '../io.js'
import type { NamedServer } from './mcp-servers.js'
import { readSecret, variableSecret } from './secrets.js'

const text = z.string().min(1)
const texts = z.array(z.string())
const textsByName = z.record(z.string(), z.string())
const seconds = z.number().positive()

/** All fields of a server that are read, by their names in Claude's and Codex's files. */
const SERVER = {
  type: z.enum(['stdio', 'http', 'streamable-http', 'streamableHttp', 'streamable_http']),
  command: text,
  args: texts,
  env: textsByName,
  env_vars: z.array(text),
  cwd: text,
  url: text,
  headers: textsByName,
  http_headers: textsByName,
  env_http_headers: textsByName,
  bearer_token_env_var: text,
  enabled: z.boolean(),
  disabled: z.boolean(),
  enabled_tools: texts,
  disabled_tools: texts,
  startup_timeout_sec: seconds,
  startup_timeout_ms: seconds,
  tool_timeout_sec: seconds,
} satisfies Readonly<Record<string, z.ZodType>>

const serverShape = z.looseObject(SERVER).partial()
type Server = z.output<typeof serverShape>

const configShape = z
  .looseObject({
    mcpServers: z.record(z.string(), serverShape),
    mcp_servers: z.record(z.string(), serverShape),
  })
  .partial()

/**
 * Reads the MCP servers of a file in the form of Claude Desktop (JSON with `mcpServers`) or Codex (TOML with
 * `mcp_servers`). Unsupported fields are reported, and disabled servers are left out.
 *
 * @throws UsageError
 */
export async function readMcpConfig(file: string, io: Io): Promise<NamedServer[]> {
  const where = `--mcp-config ${nameOf(file)}`
  const { data, error } = configShape.safeParse(await parsed(file, where, io))
  if (data === undefined) throw new UsageError(`${where}: ${wordsOf(error.issues[0] as z.core.$ZodIssue)}`)
  const { mcpServers, mcp_servers: codexServers } = data
  if ((mcpServers === undefined) === (codexServers === undefined)) {
    const got = mcpServers === undefined ? 'neither' : 'both'
    throw new UsageError(`${where}: expected mcpServers, or mcp_servers as Codex has it, got ${got}`)
  }
  const servers: NamedServer[] = []
  for (const [label, server] of Object.entries(mcpServers ?? codexServers ?? {})) {
    if (server.enabled === false || server.disabled === true) continue
    const path = `${where}: ${JSON.stringify(label)}`
    for (const name of Object.keys(server).filter((field) => !Object.hasOwn(SERVER, field))) {
      io.complain(complaint(new Error(`${path}: ${JSON.stringify(name)} is not read`)))
    }
    // Codex does not expand variables.
    const known = mcpServers === undefined ? server : await expanded(server, path, io)
    servers.push({ label, config: await configOf(known, path, io) })
  }
  return servers
}

async function parsed(file: string, where: string, io: Io): Promise<unknown> {
  const given = await readFileOrStdin(file, io)
  const isToml = file.endsWith('.toml')
  try {
    return isToml ? (await import('smol-toml')).parse(given) : JSON.parse(given)
  } catch (error) {
    // The parsers' messages are not repeated in full: both quote the file, which may contain secrets.
    const [reason] = messageOf(error).split('\n')
    throw new UsageError(`${where}: expected ${isToml ? 'TOML' : 'JSON'}${isToml ? `: ${reason}` : ''}`, {
      cause: error,
    })
  }
}

async function configOf(server: Server, path: string, io: Io): Promise<McpServerConfig> {
  const { command, url, enabled_tools: allowedTools, disabled_tools: excludedTools } = server
  if ((command === undefined) === (url === undefined)) {
    throw new UsageError(`${path}: expected a command or a url, got ${command === undefined ? 'neither' : 'both'}`)
  }
  const rules = {
    ...(allowedTools && { allowedTools }),
    ...(excludedTools && { excludedTools }),
    ...timeoutsOf(server),
  }
  return command === undefined
    ? { ...(await remote(server, path, io)), ...rules }
    : { ...(await local(server, path, io)), ...rules }
}

function timeoutsOf({ startup_timeout_sec, startup_timeout_ms, tool_timeout_sec }: Server) {
  const startup = startup_timeout_sec === undefined ? startup_timeout_ms : startup_timeout_sec * 1000
  const tool = tool_timeout_sec === undefined ? undefined : Math.ceil(tool_timeout_sec * 1000)
  return {
    ...(startup !== undefined && { listTimeoutMs: Math.ceil(startup) }),
    ...(tool !== undefined && { timeoutMs: tool, totalTimeoutMs: Math.max(tool, 600_000) }),
  }
}

async function local({ command = '', args, env, env_vars: names = [], cwd }: Server, path: string, io: Io) {
  const passed: Record<string, string> = {}
  for (const name of names) passed[name] = await variable(name, `${path}.env_vars`, io)
  return {
    command,
    ...(args && { args }),
    ...((env || names.length > 0) && { env: { ...passed, ...env } }),
    ...(cwd !== undefined && { cwd }),
  }
}

async function remote(server: Server, path: string, io: Io) {
  const { url = '', bearer_token_env_var: token, env_http_headers: named = {} } = server
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UsageError(`${path}.url: expected an http or https URL`)
  }
  const headers: Record<string, string> = { ...server.http_headers, ...server.headers }
  for (const [header, name] of Object.entries(named)) {
    headers[header] = await variable(name, `${path}.env_http_headers`, io)
  }
  if (token !== undefined)
    headers['Authorization'] = `Bearer ${await variable(token, `${path}.bearer_token_env_var`, io)}`
  return { url, ...(Object.keys(headers).length > 0 && { headers }) }
}

/**
 * Returns the value of a variable, or of the file that `NAME_FILE` names.
 *
 * @param otherwise - the value if neither is set
 * @throws UsageError if there is none: a server that is called without its key would fail later, with a vaguer error
 */
async function variable(name: string, path: string, io: Io, otherwise?: string): Promise<string> {
  const secret = variableSecret(name, io.env, path)
  const value = secret === undefined ? otherwise : await readSecret(secret, io)
  if (value === undefined) throw new UsageError(`${path}: the environment has no ${name}`)
  return value
}

/** The fields in which Claude Code expands environment variables, `${NAME}` and `${NAME:-default}`. */
const EXPANDED = ['command', 'args', 'env', 'url', 'headers'] as const

async function expanded(server: Server, path: string, io: Io): Promise<Server> {
  const fields: Record<string, unknown> = {}
  for (const field of EXPANDED) {
    const value = server[field]
    if (value !== undefined) fields[field] = await expandedValue(value, `${path}.${field}`, io)
  }
  return { ...server, ...fields }
}

async function expandedValue(
  value: string | readonly string[] | Readonly<Record<string, string>>,
  path: string,
  io: Io,
): Promise<unknown> {
  if (typeof value === 'string') return expandedText(value, path, io)
  const entries: [string, string][] = []
  for (const [name, each] of Object.entries(value)) entries.push([name, await expandedText(each, path, io)])
  return Array.isArray(value) ? entries.map(([, text]) => text) : Object.fromEntries(entries)
}

async function expandedText(text: string, path: string, io: Io): Promise<string> {
  let whole = ''
  let end = 0
  for (const match of text.matchAll(/\$\{(?:env:)?(\w+)(?::-([^}]*))?\}/g)) {
    const [given, name = '', otherwise] = match
    whole += text.slice(end, match.index) + (await variable(name, path, io, otherwise))
    end = match.index + given.length
  }
  return whole + text.slice(end)
}

/** Formats an issue without the value, which may be a secret. */
function wordsOf({ path, message }: z.core.$ZodIssue): string {
  const about = message
    .replace(/^Invalid (input|option): /, '')
    .replace(/^Invalid URL$/, 'expected an http or https URL')
  return `${path.length === 0 ? '' : `${toDotPath(path)}: `}${about}`
}
