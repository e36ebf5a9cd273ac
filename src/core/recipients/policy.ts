import { check } from '../../shared/errors.js'
import { BROWSER, CONTAINER, PYTHON } from '../harmony/namespaces.js'
import type { BuiltinCall } from './builtin-tools.js'

export type { BuiltinCall }

/**
 * A way of finding the callee of a recipient:
 *
 * - `functions`: `functions.NAME`, declared or not.
 * - `builtins`: a recipient of a built-in tool, if the request declares the tool.
 * - `function_names`: the exact name of a declared function or custom tool.
 * - `namespaces`: `NAMESPACE.NAME` of a tool in a declared namespace.
 * - `mcp`: a tool of a declared MCP server, by the server's label or an alias of it.
 */
export type RecipientMatch = 'functions' | 'builtins' | 'function_names' | 'namespaces' | 'mcp'

/**
 * A table of what recipients become. To change a preset, spread it: `{ ...policies.openai, name: 'mine', undeclared:
 * 'mcp_call' }`.
 */
export interface RecipientPolicy {
  /** The name of the preset, or one of your own. */
  readonly name: string
  /** The recipients that address no tool. Their messages are classified by channel. */
  readonly nonToolRecipients: readonly string[]
  /** The ways of finding the callee, in the order in which they are tried. */
  readonly order: readonly RecipientMatch[]
  /**
   * The built-in tools that recipients call besides those that the tools are taught by (`browser.search`): `{ jupyter: { tool:
   * 'code_interpreter' } }`. `shell` means whichever of `shell` and `local_shell` is declared.
   */
  readonly builtins: Readonly<Record<string, BuiltinCall>>
  /** The MCP `server_label` that the first segment of a recipient may stand for. */
  readonly aliases: Readonly<Record<string, string>>
  /**
   * The callee of a recipient that no way finds:
   *
   * - `function_call`: a function named like the recipient, or one in the declared namespace that it begins with, for
   *   the client to answer.
   * - `mcp_call`: an MCP tool of the undeclared server that the first segment, or its alias, names.
   * - `unavailable_mcp_call`: an MCP tool of the server that the first segment names. It is not run: the call fails.
   */
  readonly undeclared: 'function_call' | 'mcp_call' | 'unavailable_mcp_call'
  /** The `require_approval` of a declared MCP server if the request does not set it. */
  readonly mcpApproval: 'always' | 'never'
}

/** The presets' names. */
export type PolicyName = 'openai' | 'agents' | 'vllm' | 'functions-only'

const openai: RecipientPolicy = {
  name: 'openai',
  nonToolRecipients: ['assistant', 'user', ''],
  order: ['functions', 'builtins', 'function_names', 'namespaces', 'mcp'],
  builtins: {},
  aliases: { [PYTHON]: 'code_interpreter', [BROWSER]: 'web_search_preview', [CONTAINER]: 'container' },
  undeclared: 'function_call',
  mcpApproval: 'always',
}

/**
 * The presets:
 *
 * - `openai` (the default): a recipient that the model made up becomes a function call that the client can answer.
 * - `agents`: a recipient that the model made up becomes a failed MCP call, because the Agents SDK ends its run at an
 *   unknown function.
 * - `vllm`: everything except `functions.` and declared namespaces is MCP, without approval unless the request asks for
 *   it.
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
 * Returns the policy itself, the preset with this name, or the default.
 *
 * @param mcpApproval - overrides the policy's own
 * @throws HarmonyResponsesError `bad_option` if there is no such preset. A table has been checked: `check-policy.ts`
 */
export function resolvePolicy(
  policy: RecipientPolicy | PolicyName = 'openai',
  mcpApproval?: RecipientPolicy['mcpApproval'],
): RecipientPolicy {
  const isTable = typeof policy === 'object' && policy !== null
  const table = isTable ? policy : lookUp<RecipientPolicy>(policies, policy)
  check(table !== undefined, 'policy', `one of ${Object.keys(policies).join(', ')}, or a table`, policy)
  return mcpApproval === undefined || mcpApproval === table.mcpApproval ? table : { ...table, mcpApproval }
}

/** Returns the name of the preset that a policy equals, apart from its approvals; undefined for a custom table. */
export function presetOf(policy: RecipientPolicy): PolicyName | undefined {
  const preset = lookUp<RecipientPolicy>(policies, policy.name)
  const fields = Object.keys(openai) as (keyof RecipientPolicy)[]
  const isPreset = fields.every((field) => field === 'mcpApproval' || policy[field] === preset?.[field])
  return isPreset ? (policy.name as PolicyName) : undefined
}

/** Returns an entry of a table. Inherited properties do not count: models do call `constructor`. */
export function lookUp<Entry>(table: Readonly<Record<string, Entry>>, key: string): Entry | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
