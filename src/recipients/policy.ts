import { check } from '../errors.js'
import { BROWSER, CONTAINER, PYTHON } from '../harmony/namespaces.js'

/** A built-in tool as a recipient calls it; a web search says what it does by the recipient. */
export type BuiltinCall =
  | { readonly tool: 'code_interpreter' }
  | { readonly tool: 'web_search'; readonly action: 'search' | 'open_page' | 'find_in_page' }
  | { readonly tool: 'shell' }

/**
 * A way of finding the callee of a recipient:
 *
 * - `functions`: `functions.NAME`, declared or not.
 * - `builtins`: a recipient in the policy's table of built-ins, where the request declares the tool.
 * - `function_names`: exactly the name of a declared function or custom tool.
 * - `namespaces`: a tool of a declared namespace, by the names of both.
 * - `mcp`: a tool of a declared MCP server, by the server's label or an alias of it.
 */
export type RecipientMatch = 'functions' | 'builtins' | 'function_names' | 'namespaces' | 'mcp'

/**
 * What becomes of a recipient, as a table. To change a preset, spread it:
 * `{ ...policies.openai, name: 'mine', undeclared: 'mcp_call' }`.
 */
export interface RecipientPolicy {
  readonly name: string
  /** The recipients that address no tool. The channel decides about their messages. */
  readonly nobody: readonly string[]
  /** The ways of finding the callee, in the order they are tried. */
  readonly order: readonly RecipientMatch[]
  /** Which built-in a recipient calls. `shell` is the declared one of `shell` and `local_shell`. */
  readonly builtins: Readonly<Record<string, BuiltinCall>>
  /** Which MCP `server_label` the first segment of a recipient may stand for. */
  readonly aliases: Readonly<Record<string, string>>
  /**
   * What a recipient becomes whose callee is not found:
   *
   * - `function_call`: a function with the whole recipient as its name, or one of the declared namespace that it begins
   *   with, for the client to answer.
   * - `mcp_call`: an MCP tool of the undeclared server that the first segment, or its alias, names.
   * - `unavailable_mcp_call`: an MCP tool of the server that the first segment names. Nothing runs it: the call fails.
   */
  readonly undeclared: 'function_call' | 'mcp_call' | 'unavailable_mcp_call'
  /** What the `require_approval` of a declared MCP server is where the request does not say it. */
  readonly mcpApproval: 'always' | 'never'
}

/** The presets' names. */
export type PolicyName = 'openai' | 'agents' | 'vllm' | 'functions-only'

const openai: RecipientPolicy = {
  name: 'openai',
  nobody: ['assistant', 'user', ''],
  order: ['functions', 'builtins', 'function_names', 'namespaces', 'mcp'],
  builtins: {
    [PYTHON]: { tool: 'code_interpreter' },
    [`${BROWSER}.search`]: { tool: 'web_search', action: 'search' },
    [`${BROWSER}.open`]: { tool: 'web_search', action: 'open_page' },
    [`${BROWSER}.find`]: { tool: 'web_search', action: 'find_in_page' },
    [`${CONTAINER}.exec`]: { tool: 'shell' },
  },
  aliases: { [PYTHON]: 'code_interpreter', [BROWSER]: 'web_search_preview', [CONTAINER]: 'container' },
  undeclared: 'function_call',
  mcpApproval: 'always',
}

/**
 * The presets:
 *
 * - `openai` (the default): what the model made up becomes a function call that the client can answer.
 * - `agents`: what the model made up becomes a failed MCP call. The Agents SDK ends its run at an unknown function.
 * - `vllm`: everything but `functions.` and declared namespaces is MCP, and none of it asks for approval unasked.
 * - `functions-only`: everything is a function call.
 */
export const policies: Readonly<Record<PolicyName, RecipientPolicy>> = {
  openai,
  agents: { ...openai, name: 'agents', undeclared: 'unavailable_mcp_call' },
  vllm: {
    ...openai,
    name: 'vllm',
    order: ['functions', 'namespaces', 'mcp'],
    undeclared: 'mcp_call',
    mcpApproval: 'never',
  },
  'functions-only': { ...openai, name: 'functions-only', order: ['functions', 'function_names', 'namespaces'] },
}

/**
 * The policy itself, the preset of that name, or the default.
 *
 * @param mcpApproval - in the place of the policy's own
 * @throws HarmonyResponsesError `bad_option` where no preset has the name.
 */
export function resolvePolicy(
  policy: RecipientPolicy | PolicyName = 'openai',
  mcpApproval?: RecipientPolicy['mcpApproval'],
): RecipientPolicy {
  const isTable = typeof policy === 'object' && policy !== null
  const table = isTable ? policy : lookUp<RecipientPolicy>(policies, policy)
  check(table !== undefined, 'policy', `one of ${Object.keys(policies).join(', ')}, or a table`, policy)
  const missing = Object.keys(openai).filter((field) => !(field in table))
  check(missing.length === 0, 'policy', 'a complete table', `one without ${missing.join(', ')}`)
  const { order } = table
  const wrong = Array.isArray(order) ? order.find((match) => !openai.order.includes(match)) : order
  check(wrong === undefined, 'policy.order', `any of ${openai.order.join(', ')}`, wrong)
  const approval: unknown = mcpApproval ?? table.mcpApproval
  check(approval === 'always' || approval === 'never', 'mcpApproval', "'always' or 'never'", approval)
  return approval === table.mcpApproval ? table : { ...table, mcpApproval: approval }
}

/** An entry of a policy's table. What every object inherits is no entry: models may well call `constructor`. */
export function lookUp<Entry>(table: Readonly<Record<string, Entry>>, key: string): Entry | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
