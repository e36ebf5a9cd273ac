import type { Arbitrary } from 'fast-check'
import type {
  CustomTool,
  FunctionTool,
  McpTool,
  NamespaceTool,
  ResponseRequest,
  UnknownTool,
} from '../../../core/responses/request.js'
import fc from './fast-check.js'

/** The types of items that calls become. */
export type CallItemType =
  | 'function_call'
  | 'custom_tool_call'
  | 'mcp_call'
  | 'code_interpreter_call'
  | 'web_search_call'
  | 'shell_call'

/** The recipient of a call, and the item that it becomes with the declared tools. */
export interface CalledTool {
  /** The recipient as the model writes it. */
  readonly recipient: string
  /** The type of the item that the call becomes. */
  readonly itemType: CallItemType
  /** The item's `name`, if the item has one and the recipient contains it. */
  readonly name?: string
  /** The namespace of the tool, if it is declared in one. */
  readonly namespace?: string
  /** The `server_label` of an `mcp_call`. */
  readonly serverLabel?: string
  /** The called tool as the request declares it. */
  readonly declaration: UnknownTool
}

type Builtin = 'python' | 'browser' | 'container'

/** The tool of a call. `BuiltinDeclarations` decides for the whole transcript how built-in tools are declared. */
export type ToolChoice =
  | { readonly kind: 'function' | 'custom'; readonly name: string }
  | {
      readonly kind: 'namespace'
      readonly namespace: string
      readonly tool: { readonly kind: 'function' | 'custom'; readonly name: string }
      readonly form: 'functions' | 'bare'
    }
  | {
      readonly kind: 'mcp'
      readonly label: string
      readonly tool: string
      readonly form: 'label' | 'mcp' | 'bare' | 'mcp bare'
    }
  | { readonly kind: Builtin; readonly recipient: string }

/** How each built-in tool is declared: as itself, in its older form, or as an MCP server with its label. */
export type BuiltinDeclarations = Readonly<Record<Builtin, Declared>>

const FUNCTION_NAMES = ['get_weather', 'x', 'math.sum', 'my-tool', 'python', 'search', 'Get_Weather2']
const CUSTOM_NAMES = ['apply_patch', 'run-sql', 'grammar.v1']
// A recipient never matches two of them, and none is the label of an MCP server.
const NAMESPACES = ['mcp__docs', 'crm', 'team', 'team.v2', 'multi-agent']
const NAMESPACE_TOOLS = [
  { kind: 'function', name: 'lookup' },
  { kind: 'function', name: 'page.read' },
  { kind: 'custom', name: 'run-query' },
] as const
const MCP_LABELS = ['deepwiki', 'my-server', 'acme.v2', 'acme', 'git-hub.enterprise-cloud']
const MCP_TOOLS = ['ask', 'read-file', 'repo.search', 'list_items']

/** The names that the API accepts. */
const API_NAME = /^[a-zA-Z0-9_-]+$/

const functionName = (isOfApi: boolean): Arbitrary<string> => {
  const known = FUNCTION_NAMES.filter((name) => !isOfApi || API_NAME.test(name))
  const madeUp = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_-]{0,15}$/).filter((name) => !CUSTOM_NAMES.includes(name))
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 3, arbitrary: fc.constantFrom(...known) },
    { weight: 1, arbitrary: madeUp },
  )
}

/** A tool of a kind, with these values. */
const toolOf = <const Kind extends ToolChoice['kind'], Values>(
  kind: Kind,
  values: { [K in keyof Values]: Arbitrary<Values[K]> },
): Arbitrary<{ kind: Kind } & Values> =>
  // The cast: fast-check types an intersection of records as one record.
  fc.record({ kind: fc.constant(kind), ...values }) as unknown as Arbitrary<{ kind: Kind } & Values>

const oneOf = <const Value>(...values: Value[]): Arbitrary<Value> => fc.constantFrom(...values)

/** The type of a tool, as a request declares it. */
export type ToolType =
  | 'function'
  | 'custom'
  | 'namespace'
  | 'mcp'
  | 'code_interpreter'
  | 'web_search'
  | 'web_search_preview'
  | 'shell'

/** The types of tools, as requests declare them. */
export const TOOL_TYPES: readonly ToolType[] = [
  'function',
  'custom',
  'namespace',
  'mcp',
  'code_interpreter',
  'web_search',
  'web_search_preview',
  'shell',
]

/** How a built-in tool may be declared: the type of each declaration. */
const DECLARED_AS: Readonly<Record<Builtin, Readonly<Record<Declared, ToolType>>>> = {
  python: { builtin: 'code_interpreter', preview: 'code_interpreter', mcp: 'mcp' },
  browser: { builtin: 'web_search', preview: 'web_search_preview', mcp: 'mcp' },
  container: { builtin: 'shell', preview: 'shell', mcp: 'mcp' },
}

const DECLARED = ['builtin', 'preview', 'mcp'] as const
type Declared = (typeof DECLARED)[number]

const declarationsOf = (builtin: Builtin, types: readonly ToolType[]): Declared[] =>
  DECLARED.filter((declared) => types.includes(DECLARED_AS[builtin][declared]))

/** How built-in tools are declared in a request whose tools have these types. */
export const builtinDeclarations = (types: readonly ToolType[]): Arbitrary<BuiltinDeclarations> => {
  const declared = (builtin: Builtin): Arbitrary<Declared> => {
    const possible = declarationsOf(builtin, types)
    // One that is not called needs none.
    return fc.nat({ max: Math.max(possible.length - 1, 0) }).map((at) => possible[at] ?? 'builtin')
  }
  return fc.record({ python: declared('python'), browser: declared('browser'), container: declared('container') })
}

/** The tools that a transcript may call. */
export interface OfferedTools {
  readonly types: readonly ToolType[]
  /** Whether all names are such as the API accepts: others have a dot. */
  readonly isOfApi: boolean
}

/** Any of these tools. Shrinks to the function `get_weather`, if that is among them. */
export const toolChoice = ({ types, isOfApi }: OfferedTools): Arbitrary<ToolChoice> => {
  const inApi = ({ name }: { readonly name: string }): boolean => !isOfApi || API_NAME.test(name)
  const form = oneOf('label', 'label', 'mcp', 'bare', 'mcp bare')
  const mcp = toolOf('mcp', { label: oneOf(...MCP_LABELS), tool: oneOf(...MCP_TOOLS), form })
  const inNamespace = { tool: fc.constantFrom(...NAMESPACE_TOOLS.filter(inApi)), form: oneOf('functions', 'bare') }
  const namespaces = NAMESPACES.filter((name) => inApi({ name }))
  const customNames = CUSTOM_NAMES.filter((name) => inApi({ name }))
  const isBuiltin = (builtin: Builtin): boolean => declarationsOf(builtin, types).some((declared) => declared !== 'mcp')
  const has = (type: ToolType): boolean => types.includes(type)
  const kinds: readonly { has: boolean; weight: number; arbitrary: Arbitrary<ToolChoice> }[] = [
    { has: has('function'), weight: 4, arbitrary: toolOf('function', { name: functionName(isOfApi) }) },
    { has: has('custom'), weight: 1, arbitrary: toolOf('custom', { name: oneOf(...customNames) }) },
    { has: has('mcp'), weight: 2, arbitrary: mcp },
    { has: isBuiltin('python'), weight: 1, arbitrary: fc.constant({ kind: 'python', recipient: 'python' }) },
    {
      has: isBuiltin('browser'),
      weight: 1,
      arbitrary: toolOf('browser', { recipient: oneOf('browser.search', 'browser.open', 'browser.find') }),
    },
    {
      has: isBuiltin('container'),
      weight: 1,
      arbitrary: fc.constant({ kind: 'container', recipient: 'container.exec' }),
    },
    {
      has: has('namespace'),
      weight: 1,
      arbitrary: toolOf('namespace', { namespace: oneOf(...namespaces), ...inNamespace }),
    },
  ]
  return fc.oneof({ withCrossShrink: true }, ...kinds.filter(({ has }) => has))
}

/** Declares a function that accepts any arguments. */
export const declareFunction = (name: string): FunctionTool => ({
  type: 'function',
  name,
  description: null,
  parameters: { type: 'object', properties: {}, additionalProperties: true },
  strict: false,
})

const declareNamespace = (name: string, tool: FunctionTool | CustomTool): NamespaceTool => ({
  type: 'namespace',
  name,
  description: '',
  tools: [tool],
})

const declareMcp = (label: string): McpTool & { server_url: string } => ({
  type: 'mcp',
  server_label: label,
  server_url: `https://${label}.invalid/mcp`,
  require_approval: 'never',
})

const BUILTIN_TOOLS: Record<
  Builtin,
  { itemType: CallItemType; declared: UnknownTool; preview: UnknownTool; label: string }
> = {
  python: {
    itemType: 'code_interpreter_call',
    declared: { type: 'code_interpreter', container: { type: 'auto' } } as UnknownTool,
    preview: { type: 'code_interpreter', container: 'cntr_1' } as UnknownTool,
    label: 'code_interpreter',
  },
  browser: {
    itemType: 'web_search_call',
    declared: { type: 'web_search' },
    preview: { type: 'web_search_preview' },
    label: 'web_search_preview',
  },
  container: {
    itemType: 'shell_call',
    declared: { type: 'shell', environment: { type: 'container_auto' } } as UnknownTool,
    preview: { type: 'shell' },
    label: 'container',
  },
}

/** The recipient of a call of the tool, and the item that it becomes. */
export function calledTool(tool: ToolChoice, builtins: BuiltinDeclarations): CalledTool {
  switch (tool.kind) {
    case 'function': {
      const { name } = tool
      return { recipient: `functions.${name}`, itemType: 'function_call', name, declaration: declareFunction(name) }
    }
    case 'custom': {
      const { name } = tool
      const declaration: CustomTool = { type: 'custom', name }
      return { recipient: `functions.${name}`, itemType: 'custom_tool_call', name, declaration }
    }
    case 'namespace': {
      const { namespace, form } = tool
      // Within its namespace, a tool is declared and called like one without a namespace.
      const { itemType, declaration, name = '' } = calledTool(tool.tool, builtins)
      const path = `${namespace}.${name}`
      return {
        recipient: form === 'functions' ? `functions.${path}` : path,
        itemType,
        name,
        namespace,
        // Only functions and custom tools are drawn inside a namespace.
        declaration: declareNamespace(namespace, declaration as FunctionTool | CustomTool),
      }
    }
    case 'mcp': {
      const { label, tool: name, form } = tool
      const common = { itemType: 'mcp_call', serverLabel: label, declaration: declareMcp(label) } as const
      if (form === 'bare') return { recipient: label, ...common }
      if (form === 'mcp bare') return { recipient: `mcp.${label}`, ...common }
      return { recipient: `${form === 'mcp' ? 'mcp.' : ''}${label}.${name}`, name, ...common }
    }
    default: {
      const { recipient, kind } = tool
      const { itemType, declared, preview, label } = BUILTIN_TOOLS[kind]
      if (builtins[kind] !== 'mcp')
        return { recipient, itemType, declaration: builtins[kind] === 'preview' ? preview : declared }
      const name = recipient.slice(recipient.indexOf('.') + 1)
      return { recipient, itemType: 'mcp_call', name, serverLabel: label, declaration: declareMcp(label) }
    }
  }
}

/** A request that declares these tools, without repeats. */
export function requestFor(declarations: readonly UnknownTool[]): ResponseRequest {
  const tools = new Map(declarations.map((tool) => [JSON.stringify(tool), tool]))
  return { model: 'gpt-oss-20b', input: 'Hi', tools: [...tools.values()] }
}

const toolLabel = (tool: UnknownTool): string => {
  const name = 'name' in tool ? tool.name : 'server_label' in tool ? tool.server_label : undefined
  return name === undefined ? tool.type : `${tool.type} ${String(name)}`
}

/** The tools of a request, for messages. */
export function showTools(request: ResponseRequest): string {
  return `tools: [${(request.tools ?? []).map(toolLabel).join(', ')}]`
}
