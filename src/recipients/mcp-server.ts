import { check } from '../errors.js'
import type { McpTool, McpToolFilter } from '../responses/request.js'

/** What the request says about the tools of an MCP server, by their names there. */
export interface McpServer {
  /** Whether the model may call the tool. */
  allows(name: string): boolean
  /** Whether the user has to approve a call of it first; `unsaid` (default `always`) where the request says nothing. */
  needsApproval(name: string, unsaid?: 'always' | 'never'): boolean
}

/** Whether a tool only reads, as its server's listing says it; undefined where there is no listing. */
export type ToolHints = (serverLabel: string, name: string) => boolean | undefined

type ToolTest = (name: string) => boolean

/**
 * An `mcp` entry of the request, added to those of the same label before it. Which tools only read, the servers'
 * listings say. Where there is none, an `allowed_tools` by `read_only` leaves it to the host, and an approval by it is
 * asked for.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function declareMcpServer(tool: McpTool, path: string, before?: McpServer, hints?: ToolHints): McpServer {
  const isReadOnly: Hint = (name) => hints?.(tool.server_label, name)
  const allows = testOf(tool.allowed_tools, `${path}allowed_tools`, isReadOnly, true)
  const demands = approvalOf(tool.require_approval, `${path}require_approval`, isReadOnly)
  return {
    allows: (name) => allows(name) || before?.allows(name) === true,
    needsApproval: (name, unsaid) =>
      (allows(name) && (demands === null ? unsaid !== 'never' : demands(name))) ||
      before?.needsApproval(name, unsaid) === true,
  }
}

type Hint = (name: string) => boolean | undefined

/** Null where it says nothing. */
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
 * Names, a filter object, or nothing, which every tool passes.
 *
 * @param ifUnknown - whether a tool passes a `read_only` that nobody knows to be so or not
 */
function testOf(value: McpTool['allowed_tools'], path: string, isReadOnly: Hint, ifUnknown: boolean): ToolTest {
  const filter = (Array.isArray(value) ? { tool_names: value } : Object(value)) as McpToolFilter
  const { tool_names: names = null, read_only: readOnly = null } = filter
  const isList = Array.isArray(names) && names.every((name) => typeof name === 'string')
  const isFilter = typeof (value ?? {}) === 'object' && (readOnly === null || typeof readOnly === 'boolean')
  check(isFilter && (isList || names === null), path, 'tool names or { tool_names }', value)
  return (name) => {
    const isNamed = names === null || names.includes('*') || names.includes(name)
    const hint = readOnly === null ? null : isReadOnly(name)
    return isNamed && (hint === undefined ? ifUnknown : hint === readOnly)
  }
}
