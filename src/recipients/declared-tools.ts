import { check } from '../errors.js'
import type { McpTool, RequestTool, ShellTool } from '../responses/request.js'
import { declareMcpServer, type McpServer, type ToolHints } from './mcp-server.js'

/** The built-in tools that gpt-oss models were trained to call. */
export type BuiltinTool = 'code_interpreter' | 'web_search' | 'shell' | 'local_shell'

/** An MCP tool, once a recipient has been split into its server and its name there. */
export interface McpToolName {
  readonly serverLabel: string
  readonly name: string
}

/** What the request's `tools` say about whom the model may call. Built once per request by {@link declareTools}. */
export interface DeclaredTools {
  readonly functions: ReadonlySet<string>
  readonly customTools: ReadonlySet<string>
  /** The declared MCP servers by `server_label`. */
  readonly mcpServers: ReadonlyMap<string, McpServer>
  /** How recipients begin that address a declared MCP server (`LABEL` and `mcp.LABEL`), the longest first. */
  readonly mcpPrefixes: readonly { readonly prefix: string; readonly serverLabel: string }[]
  readonly builtins: ReadonlySet<BuiltinTool>
  /** Where a declared shell runs: in a container of the host's, expressly on the client's machine, or it is not said. */
  readonly shell: 'container' | 'local' | null
}

/** What the recipients of functions and custom tools begin with. */
export const FUNCTIONS_NAMESPACE = 'functions.'

/** `web_search`, `web_search_preview`, and either with a date: `web_search_2025_08_26`. */
const WEB_SEARCH_TYPE = /^web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/

/**
 * Reads the request's `tools`. Types that no recipient can address are ignored. Several `mcp` entries of one label add
 * up.
 *
 * @param hints - which tools only read, as the servers' listings say it
 * @throws HarmonyResponsesError `bad_option` where an entry lacks what its type requires, or a filter is none
 */
export function declareTools(tools: readonly RequestTool[] | null | undefined, hints?: ToolHints): DeclaredTools {
  return tools == null || tools.length === 0 ? NONE : declare(tools, hints)
}

/** One for all requests without tools: its sets take as much memory as a parser. */
const NONE: DeclaredTools = /* @__PURE__ */ declare([])

function declare(tools: readonly RequestTool[], hints?: ToolHints): DeclaredTools {
  const functions = new Set<string>()
  const customTools = new Set<string>()
  const mcpServers = new Map<string, McpServer>()
  const builtins = new Set<BuiltinTool>()
  let shell: DeclaredTools['shell'] = null

  check(Array.isArray(tools), 'tools', 'an array', tools)
  for (const [index, tool] of tools.entries()) {
    const text = (field: string): string => {
      const value = (Object(tool) as { [field: string]: unknown })[field]
      check(typeof value === 'string' && value !== '', `tools[${index}].${field}`, 'a string', value)
      return value
    }
    const type = text('type')
    switch (type) {
      case 'function':
        functions.add(text('name'))
        break
      case 'custom':
        customTools.add(text('name'))
        break
      case 'mcp': {
        const label = text('server_label')
        const server = declareMcpServer(tool as McpTool, `tools[${index}].`, mcpServers.get(label), hints)
        mcpServers.set(label, server)
        break
      }
      case 'shell':
        shell = environmentOf(tool as ShellTool, `tools[${index}].environment`)
        builtins.add(type)
        break
      case 'code_interpreter':
      case 'local_shell':
        builtins.add(type)
        break
      default:
        if (WEB_SEARCH_TYPE.test(type)) builtins.add('web_search')
    }
  }
  return { functions, customTools, mcpServers, mcpPrefixes: mcpPrefixes([...mcpServers.keys()]), builtins, shell }
}

/** Whether the request declares a function or a custom tool of exactly this name. */
export function declaresFunction(name: string, tools: DeclaredTools): boolean {
  return tools.functions.has(name) || tools.customTools.has(name)
}

/**
 * The tool of a declared MCP server that a recipient names: `LABEL.tool`, `mcp.LABEL.tool`, `mcp.LABEL` or `LABEL`.
 * Labels and tool names may contain dots: the longest match wins, and what follows it is the tool's name. Where nothing
 * follows, the label is the name too.
 */
export function declaredMcpTool(recipient: string, tools: DeclaredTools): McpToolName | undefined {
  const match = tools.mcpPrefixes.find(({ prefix }) => recipient === prefix || recipient.startsWith(`${prefix}.`))
  if (match === undefined) return undefined
  return { serverLabel: match.serverLabel, name: recipient.slice(match.prefix.length + 1) || match.serverLabel }
}

/**
 * The recipient that a bare word of a malformed header stands for, if it names a declared tool: `functions.bash` for
 * `bash` or `functions.bash`, the word itself for `LABEL.tool`, `mcp.LABEL.tool` or `mcp.LABEL`. A server's label
 * alone names no tool.
 */
export function toolNamed(word: string, tools: DeclaredTools): string | undefined {
  const name = word.startsWith(FUNCTIONS_NAMESPACE) ? word.slice(FUNCTIONS_NAMESPACE.length) : ''
  if (declaresFunction(name, tools)) return word
  if (declaresFunction(word, tools)) return FUNCTIONS_NAMESPACE + word
  if (word.startsWith(FUNCTIONS_NAMESPACE) || tools.mcpServers.has(word)) return undefined
  return declaredMcpTool(word, tools) === undefined ? undefined : word
}

function environmentOf({ environment }: ShellTool, path: string): DeclaredTools['shell'] {
  if (environment == null) return null
  check(typeof environment.type === 'string', path, 'an object with a type', environment)
  return environment.type === 'local' ? 'local' : 'container'
}

function mcpPrefixes(labels: readonly string[]): DeclaredTools['mcpPrefixes'] {
  // A label that itself begins with `mcp.` is meant literally: it comes before an equal prefix.
  return ['', 'mcp.']
    .flatMap((start) => labels.map((serverLabel) => ({ prefix: start + serverLabel, serverLabel })))
    .sort((a, b) => b.prefix.length - a.prefix.length)
}
