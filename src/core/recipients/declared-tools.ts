import { check } from '../../shared/errors.js'
import { FUNCTIONS, MCP, nameIn } from '../harmony/namespaces.js'
import type { McpTool, NamespaceTool, UnknownTool } from '../responses/request.js'
import { APPLY_PATCH, namesPatchTool, PATCH_RECIPIENT } from './apply-patch.js'
import { type DeclaredBuiltins, growingBuiltins } from './declared-builtins.js'
import { declareMcpServer, type McpServerRules, type ReadOnlyHints } from './mcp-server.js'
import { prefixesOf } from './prefixes.js'
import type { Recipient } from './recipient.js'

/** An MCP tool: its server, and its name on that server. */
export interface McpToolName {
  readonly serverLabel: string
  readonly name: string
}

/** The names of the client's tools. */
export interface DeclaredFunctions {
  /** The names of functions. */
  readonly functions: ReadonlySet<string>
  /** The names of custom tools. */
  readonly customTools: ReadonlySet<string>
}

/** The tools that the request declares. Built once per request by {@link declareTools}. */
export interface DeclaredTools extends DeclaredFunctions, DeclaredBuiltins {
  /** The declared namespaces by name. */
  readonly namespaces: ReadonlyMap<string, DeclaredFunctions>
  /** The declared MCP servers by `server_label`. */
  readonly mcpServers: ReadonlyMap<string, McpServerRules>
  /** The labels of the declared MCP servers by `LABEL` and by `mcp.LABEL`. */
  readonly mcpPrefixes: ReadonlyMap<string, string>
}

/**
 * Parses the request's `tools`. Types that no recipient can address are ignored. Entries with the same `mcp` label or
 * the same namespace are merged.
 *
 * @param hints - whether tools are read-only, according to the servers' listings
 * @throws HarmonyResponsesError `bad_option` if an entry lacks a required field, or a filter is invalid
 *
 * @example
 * ```ts
 * import { classifyRecipient, declareTools } from 'harmony-responses'
 *
 * const github = { type: 'mcp', server_label: 'github', allowed_tools: ['search'], require_approval: 'never' }
 * const tools = declareTools([github])
 * console.log(classifyRecipient('github.search', 'commentary', tools).kind) // mcp_call
 * ```
 */
export function declareTools(tools: readonly UnknownTool[] | null | undefined, hints?: ReadOnlyHints): DeclaredTools {
  return tools == null || tools.length === 0 ? NO_TOOLS : growingTools(hints)(tools, 'tools')
}

/** Shared by all requests without tools, because its sets would take as much memory as a parser. */
const NO_TOOLS: DeclaredTools = /* @__PURE__ */ growingTools()([], 'tools')

/** Declares another list of tools. Returns all tools so far: one object, which grows. */
export type DeclareMore = (tools: readonly UnknownTool[], path: string) => DeclaredTools

/**
 * Declares lists of tools one after another. A later list replaces the tools that it declares again; within a list,
 * entries are merged as by {@link declareTools}.
 */
export function growingTools(hints?: ReadOnlyHints): DeclareMore {
  const { functions, customTools } = createFunctions()
  const namespaces = new Map<string, ReturnType<typeof createFunctions>>()
  const mcpServers = new Map<string, McpServerRules>()
  const mcpPrefixes = new Map<string, string>()
  const builtins = growingBuiltins()
  const declared = Object.assign(builtins.declared, { functions, customTools, namespaces, mcpServers, mcpPrefixes })

  function add(tool: UnknownTool, path: string): void {
    const type = requiredField(tool, path, 'type')
    switch (type) {
      case 'function':
        functions.add(requiredField(tool, path, 'name'))
        break
      case 'custom':
        customTools.add(requiredField(tool, path, 'name'))
        break
      case 'namespace': {
        const name = requiredField(tool, path, 'name')
        const inside = namespaces.get(name) ?? createFunctions()
        namespaces.set(name, inside)
        for (const [member, at] of entriesOf((tool as NamespaceTool).tools, `${path}.tools`)) {
          const type = requiredField(member, at, 'type')
          if (type === 'custom') inside.customTools.add(requiredField(member, at, 'name'))
          else if (type === 'function') inside.functions.add(requiredField(member, at, 'name'))
        }
        break
      }
      case 'mcp': {
        const label = requiredField(tool, path, 'server_label')
        mcpServers.set(label, declareMcpServer(tool as McpTool, `${path}.`, mcpServers.get(label), hints))
        addPrefixes(mcpPrefixes, label, mcpServers)
        break
      }
      default:
        builtins.add(tool, path)
    }
  }

  /** Removes what a later list declares again. */
  function forget({ type, ...tool }: UnknownTool): void {
    const { name, server_label: label, tools } = tool as Partial<NamespaceTool & McpTool>
    if (type === 'mcp') mcpServers.delete(String(label))
    for (const member of type === 'namespace' ? (tools ?? []) : [{ name: String(name), type }]) {
      if (member.type !== 'function' && member.type !== 'custom') continue
      const inside = type === 'namespace' ? namespaces.get(String(name)) : { functions, customTools }
      inside?.functions.delete(member.name)
      inside?.customTools.delete(member.name)
    }
  }

  let isFirst = true
  return (tools, path) => {
    const entries = entriesOf(tools, path)
    if (!isFirst) for (const tool of tools) forget(tool)
    isFirst = false
    for (const [tool, at] of entries) add(tool, at)
    return declared
  }
}

function createFunctions(): { functions: Set<string>; customTools: Set<string> } {
  return { functions: new Set(), customTools: new Set() }
}

/** Returns each tool of a list with its path. */
function entriesOf(tools: unknown, path: string): (readonly [tool: UnknownTool, path: string])[] {
  check(Array.isArray(tools), path, 'an array', tools)
  return tools.map((tool, index) => [tool, `${path}[${index}]`])
}

/** Returns a required field of a tool. */
function requiredField(tool: unknown, path: string, field: string): string {
  const value = (Object(tool) as { [field: string]: unknown })[field]
  check(typeof value === 'string' && value !== '', `${path}.${field}`, 'a string', value)
  return value
}

/**
 * Returns the function or custom tool that the request declares under this name, exactly or in a namespace as
 * `NS.name`. The longest namespace wins, and a custom tool wins over a function of the same name.
 */
export function declaredFunction(path: string, tools: DeclaredTools): ClientTool | undefined {
  const exact = functionIn(tools, path)
  if (exact !== undefined) return exact
  for (const namespace of prefixesOf(path, tools.namespaces)) {
    const inside = tools.namespaces.get(namespace)
    const found = inside && functionIn(inside, path.slice(namespace.length + 1))
    if (found !== undefined) return { ...found, namespace }
  }
  return undefined
}

type ClientTool = Extract<Recipient, { kind: 'function_call' | 'custom_tool_call' }>

function functionIn({ functions, customTools }: DeclaredFunctions, name: string): ClientTool | undefined {
  if (customTools.has(name)) return { kind: 'custom_tool_call', name }
  return functions.has(name) ? { kind: 'function_call', name, declared: true } : undefined
}

/**
 * Returns the tool of a declared MCP server that a recipient names: `LABEL.tool`, `mcp.LABEL.tool`, `mcp.LABEL` or
 * `LABEL`. Labels and tool names may contain dots: the longest matching label wins, and the rest is the tool's name.
 * Without a rest, the label is also the name.
 */
export function declaredMcpTool(
  recipient: string,
  { mcpPrefixes }: Pick<DeclaredTools, 'mcpPrefixes'>,
): McpToolName | undefined {
  const [prefix] = mcpPrefixes.has(recipient) ? [recipient] : prefixesOf(recipient, mcpPrefixes)
  const serverLabel = prefix === undefined ? undefined : mcpPrefixes.get(prefix)
  if (prefix === undefined || serverLabel === undefined) return undefined
  return { serverLabel, name: recipient.slice(prefix.length + 1) || serverLabel }
}

/**
 * Returns the recipient that a bare word in a malformed header stands for, if it names a declared tool:
 * `functions.bash` for `bash` or `functions.bash`; `functions.NS.bash` for `NS.bash`, and for `bash` if only one namespace
 * has it; the word itself for `LABEL.tool`, `mcp.LABEL.tool` or `mcp.LABEL`, and for the recipient of a declared built-in
 * tool. A server's label alone does not name a tool.
 */
export function toolNamed(word: string, tools: DeclaredTools): string | undefined {
  if (declaredFunction(nameIn(FUNCTIONS, word) ?? '', tools) !== undefined) return word
  if (declaredFunction(word, tools) !== undefined) return `${FUNCTIONS}.${word}`
  const namespace = onlyNamespaceWith(word, tools)
  if (namespace !== undefined) return `${FUNCTIONS}.${namespace}.${word}`
  if (tools.builtins.has(APPLY_PATCH) && namesPatchTool(word)) return PATCH_RECIPIENT
  if (tools.matchBuiltin(word, { builtins: {} }) !== undefined) return word
  if (word.startsWith(`${FUNCTIONS}.`) || tools.mcpServers.has(word)) return undefined
  return declaredMcpTool(word, tools) === undefined ? undefined : word
}

/** Without a copy of all namespaces: this runs for every word of a header. */
function onlyNamespaceWith(word: string, { namespaces }: DeclaredTools): string | undefined {
  let only: string | undefined
  for (const [namespace, inside] of namespaces) {
    if (functionIn(inside, word) === undefined) continue
    if (only !== undefined) return undefined
    only = namespace
  }
  return only
}

/** Maps the prefixes of recipients to the labels of their servers. */
export function mcpPrefixes(labels: readonly string[]): DeclaredTools['mcpPrefixes'] {
  const prefixes = new Map<string, string>()
  const all = new Map(labels.map((label) => [label, label]))
  for (const label of labels) addPrefixes(prefixes, label, all)
  return prefixes
}

/** A label that itself begins with `mcp.` wins over an equal prefix, because it is the literal match. */
function addPrefixes(prefixes: Map<string, string>, label: string, labels: ReadonlyMap<string, unknown>): void {
  prefixes.set(label, label)
  if (!labels.has(`${MCP}.${label}`)) prefixes.set(`${MCP}.${label}`, label)
}
