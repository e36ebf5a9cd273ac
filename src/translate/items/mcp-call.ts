import type { McpError } from '../../responses/items.js'
import { textOf } from '../text-buffer.js'
import { type CallResult, textOfResult } from '../tool-result.js'
import type { Effects, ItemBase, ItemKind } from './item.js'
import { writeDelta } from './write-delta.js'

/*
 * mcp_call: a tool of an MCP server, run by the host
 *
 *     output_item.added
 *       mcp_call.in_progress
 *       mcp_call_arguments.delta *
 *       mcp_call_arguments.done         at the terminator
 *       mcp_call.completed | .failed    when the result is there, not before
 *     output_item.done
 *
 * A tool that may not be called fails at its terminator. A call that never gets a result has neither event.
 */

export interface McpCall extends ItemBase {
  type: 'mcp_call'
  serverLabel: string
  name: string
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed'
  /** Whether the request allows the tool. */
  available: boolean
  /** The request that the user approved, where one was needed. */
  approvalRequestId: string | null
  output: string | null
  error: McpError | null
}

/** What MCP servers answer for a tool they do not have: invalid params. */
const UNKNOWN_TOOL = -32602

export const mcpCall: ItemKind<McpCall> = {
  type: 'mcp_call',
  prefix: 'mcp',
  opens: 'header',
  result: 'completes',
  isRunByClient: false,

  create(subject, base) {
    const { serverLabel, name, available } = subject
    const approvalRequestId = 'approvalRequestId' in subject ? subject.approvalRequestId : null
    return {
      ...base,
      type: 'mcp_call',
      serverLabel,
      name,
      status: 'in_progress',
      available,
      approvalRequestId,
      output: null,
      error: null,
    }
  },

  open(item, effects) {
    effects.tell(item, 'response.mcp_call.in_progress', {})
  },

  delta(item, text, effects) {
    writeDelta(item, 'response.mcp_call_arguments.delta', text, effects)
  },

  close(item, outcome, effects) {
    effects.tell(item, 'response.mcp_call_arguments.done', {
      arguments: textOf(item.text),
    })
    if (outcome === 'completed' && !item.available) {
      effects.notice('unavailable_tool', `${item.serverLabel}.${item.name}`)
      settle(item, { error: { code: UNKNOWN_TOOL, message: 'tool not available' } }, effects)
      return 'done'
    }
    return 'waiting'
  },

  settle,

  wire(item) {
    return {
      type: 'mcp_call',
      id: item.id,
      status: item.status,
      approval_request_id: item.approvalRequestId,
      arguments: textOf(item.text),
      error: item.error === null ? null : structuredClone(item.error),
      name: item.name,
      output: item.output,
      server_label: item.serverLabel,
    }
  },
}

function settle(item: McpCall, result: CallResult | null, effects: Effects): void {
  if (result === null) {
    item.status = 'incomplete'
    return
  }
  if (result.error === undefined) item.output = textOfResult(result)
  else item.error = errorOf(result.error)
  item.status = item.error === null ? 'completed' : 'failed'
  effects.tell(item, `response.mcp_call.${item.status}`, {})
}

/** A numeric code is the protocol's own; anything else is what the tool said. */
function errorOf({ code, message }: NonNullable<CallResult['error']>): McpError {
  return typeof code === 'number'
    ? { type: 'mcp_protocol_error', code, message }
    : { type: 'mcp_tool_execution_error', content: [{ type: 'text', text: message }] }
}
