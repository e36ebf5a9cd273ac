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
export type BuiltinDeclarations = Readonly<Record<Builtin, 'builtin' | 'preview' | 'mcp'>>

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

const functionName = (): Arbitrary<string> => {
  const madeUp = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_-]{0,15}$/).filter((name) => !CUSTOM_NAMES.includes(name))
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 3, arbitrary: fc.constantFrom(...FUNCTION_NAMES) },
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

/** Any tool. Shrinks to the function `get_weather`. */
export const toolChoice = (): Arbitrary<ToolChoice> => {
  const form = oneOf('label', 'label', 'mcp', 'bare', 'mcp bare')
  const mcp = toolOf('mcp', { label: oneOf(...MCP_LABELS), tool: oneOf(...MCP_TOOLS), form })
  const inNamespace = { tool: fc.constantFrom(...NAMESPACE_TOOLS), form: oneOf('functions', 'bare') }
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 4, arbitrary: toolOf('function', { name: functionName() }) },
    { weight: 1, arbitrary: toolOf('custom', { name: oneOf(...CUSTOM_NAMES) }) },
    { weight: 2, arbitrary: mcp },
    { weight: 1, arbitrary: fc.constant({ kind: 'python' as const, recipient: 'python' }) },
    { weight: 1, arbitrary: toolOf('browser', { recipient: oneOf('browser.search', 'browser.open', 'browser.find') }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'container' as const, recipient: 'container.exec' }) },
    { weight: 1, arbitrary: toolOf('namespace', { namespace: oneOf(...NAMESPACES), ...inNamespace }) },
  )
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
