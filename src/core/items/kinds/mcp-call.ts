import { copyOf } from '../../../shared/copy-of.js'
import { qualifiedName } from '../../recipients/qualified-name.js'
import type { Recipient } from '../../recipients/recipient.js'
import type { ObjectScan } from '../../recipients/written-arguments.js'
import type { CallResult } from '../../responses/call-result.js'
import type { McpError } from '../../responses/items.js'
import { textOf } from '../../text/text-buffer.js'
import type { ItemKind } from '../item-kind.js'
import type { ItemBase } from '../item-state.js'
import { callDelta } from '../parts/call-delta.js'
import { textOfResult } from '../parts/tool-result.js'

/*
 * mcp_call: a tool of an MCP server, run by the host
 *
 *     output_item.added
 *       mcp_call.in_progress
 *       mcp_call_arguments.delta *
 *       mcp_call_arguments.done         at the terminator
 *       mcp_call.completed | .failed    not before the result
 *     output_item.done
 *
 * A call that is not allowed fails at its terminator. A call that never gets a result has neither event.
 */

export interface McpCall extends ItemBase {
  type: 'mcp_call'
  serverLabel: string
  name: string
  /** Whether the request allows the tool. */
  available: boolean
  /** The approval request that the user approved, if the call needed one. */
  approvalRequestId: string | null
  output: string | null
  error: McpError | null
  /**
   * Where the object of its arguments ends, and the names of the tools that the model may have meant: see
   * `whole-arguments.ts`.
   */
  scan?: ObjectScan | null
  candidates?: readonly string[]
}

/** A call by the model, or one from an earlier response that the user has since approved. */
type McpCallSubject = Extract<Recipient, { kind: 'mcp_call' }> & { readonly approvalRequestId?: string }

/** The error of MCP servers for an unknown tool: invalid params. */
const UNKNOWN_TOOL = { error: { code: -32602, message: 'tool not available' } }

export const mcpCall: ItemKind<McpCall, McpCallSubject> = {
  prefix: 'mcp',
  result: 'completes',

  calls: ({ name, serverLabel }) => qualifiedName(name, serverLabel),

  create: ({ serverLabel, name, available, approvalRequestId = null }) => ({
    serverLabel,
    name,
    available,
    approvalRequestId,
    output: null,
    error: null,
  }),

  delta: callDelta('mcp_call_arguments'),

  refusal: ({ available }) => (available ? undefined : UNKNOWN_TOOL),

  resolve(item, result) {
    if (result?.error !== undefined) item.error = errorOf(result.error)
    else if (result !== null) item.output = textOfResult(result)
  },

  wire: (item) => ({
    approval_request_id: item.approvalRequestId,
    arguments: textOf(item.text),
    error: copyOf(item.error),
    name: item.name,
    output: item.output,
    server_label: item.serverLabel,
  }),
}

/** Converts an error: a numeric code makes it one of the MCP protocol; any other is the tool's own. */
function errorOf({ code, message }: NonNullable<CallResult['error']>): McpError {
  return typeof code === 'number'
    ? { type: 'mcp_protocol_error', code, message }
    : { type: 'mcp_tool_execution_error', content: [{ type: 'text', text: message }] }
}
