import { check } from '../../shared/errors.js'
import type { McpTool, McpToolFilter } from '../responses/request.js'

/** The request's rules for the tools of an MCP server, by the tools' names on that server. */
export interface McpServerRules {
  /** Whether the model may call the tool. */
  allows(name: string): boolean
  /** Whether a call needs the user's approval first. `unset` (default `always`) applies if the request has no rule. */
  needsApproval(name: string, unset?: 'always' | 'never'): boolean
}

/**
 * Returns whether a tool is read-only according to its server's listing: null if the server has no such tool, undefined
 * without a listing.
 */
export type ReadOnlyHints = (serverLabel: string, name: string) => boolean | null | undefined

type ToolTest = (name: string) => boolean

/**
 * Adds an `mcp` entry of the request to earlier ones with the same label. The servers' listings determine which tools
 * exist and which are read-only. Without a listing, a tool passes an `allowed_tools` filter by `read_only`, which
 * leaves the decision to the host, but needs approval if that rule depends on `read_only`.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function declareMcpServer(
  tool: McpTool,
  path: string,
  before?: McpServerRules,
  hints?: ReadOnlyHints,
): McpServerRules {
  const isReadOnly: Hint = (name) => hints?.(tool.server_label, name)
  const allows = testOf(tool.allowed_tools, `${path}allowed_tools`, isReadOnly, true)
  const requiresApproval = approvalOf(tool.require_approval, `${path}require_approval`, isReadOnly)
  return {
    allows: (name) => allows(name) || before?.allows(name) === true,
    needsApproval: (name, unset) =>
      (allows(name) && (requiresApproval === null ? unset !== 'never' : requiresApproval(name))) ||
      before?.needsApproval(name, unset) === true,
  }
}

type Hint = (name: string) => boolean | null | undefined

/** Returns null if there is no rule. */
function approvalOf(approval: McpTool['require_approval'], path: string, isReadOnly: Hint): ToolTest | null {
  const { always, never } = (typeof approval === 'string' ? { [approval]: {} } : Object(approval)) as {
    always?: McpToolFilter | null
    never?: McpToolFilter | null
  }
  const isObject = typeof (approval ?? {}) === 'object' && !Array.isArray(approval)
  check(
    isObject || approval === 'always' || approval === 'never',
    path,
    "'always', 'never' or { always, never }",
    approval,
  )
  const isAlways = testOf(always ?? [], `${path}.always`, isReadOnly, true)
  const isNever = testOf(never, `${path}.never`, isReadOnly, false)
  return always == null && never == null ? null : (name) => isAlways(name) || !isNever(name)
}

/**
 * Creates a test from a list of names, a filter object, or null, which every tool passes.
 *
 * @param ifUnknown - the result for a `read_only` filter if it is unknown whether the tool is read-only
 */
function testOf(value: McpTool['allowed_tools'], path: string, isReadOnly: Hint, ifUnknown: boolean): ToolTest {
  const filter = (Array.isArray(value) ? { tool_names: value } : Object(value)) as McpToolFilter
  const { tool_names: names = null, read_only: readOnly = null } = filter
  const isList = Array.isArray(names) && names.every((name) => typeof name === 'string')
  const isFilter = typeof (value ?? {}) === 'object' && (readOnly === null || typeof readOnly === 'boolean')
  check(isFilter && (isList || names === null), path, 'tool names or { tool_names }', value)
  const named = names === null || names.includes('*') ? null : new Set(names)
  return (name) => {
    const hint = isReadOnly(name)
    const isRight = readOnly === null || (hint === undefined ? ifUnknown : hint === readOnly)
    // No rule applies to a tool that the server lacks.
    return hint !== null && isRight && (named === null || named.has(name))
  }
}
