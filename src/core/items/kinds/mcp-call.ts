import { replacedByServer } from '../../recipients/builtin-tools.js'
import { qualifiedName } from '../../recipients/qualified-name.js'
import type { Recipient } from '../../recipients/recipient.js'
import { createScan, type ObjectScan } from '../../recipients/written-arguments.js'
import type { CallResult } from '../../responses/call-result.js'
import { copyOf } from '../../responses/copy-of.js'
import type { McpError } from '../../responses/items.js'
import { textOf } from '../../text/text-buffer.js'
import type { ItemKind } from '../item-kind.js'
import type { ItemState } from '../item-state.js'
import { callDelta } from '../parts/call-delta.js'
import { endObject, writeObject } from '../parts/object-arguments.js'
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

export interface McpCall extends ItemState {
  type: 'mcp_call'
  serverLabel: string
  name: string
  /** Whether the request allows the tool. */
  available: boolean
  /** The approval request that the user approved, if the call needed one. */
  approvalRequestId: string | null
  output: string | null
  error: McpError | null
  /** Null for a server that replaces a built-in tool: it receives its code, which is no object. */
  scan: ObjectScan | null
  /** The names of the tools that the model may have meant. */
  candidates?: readonly string[]
}

/** A call by the model, or one from an earlier response that the user has since approved. */
type McpCallSubject = Extract<Recipient, { kind: 'mcp_call' }> & { readonly approvalRequestId?: string }

/** The error code of MCP servers for an unknown tool: invalid params. */
const INVALID_PARAMS = -32602

/** The maximum number of names in the error for an ambiguous name. */
const MAX_CANDIDATES = 10

const emitDelta = callDelta('mcp_call_arguments')

export const mcpCall: ItemKind<McpCall, McpCallSubject> = {
  prefix: 'mcp',
  result: 'completes',

  calls: ({ name, serverLabel }) => qualifiedName(name, serverLabel),

  create: ({ serverLabel, name, available, candidates, approvalRequestId = null }) => ({
    serverLabel,
    name,
    available,
    approvalRequestId,
    output: null,
    error: null,
    scan: replacedByServer(serverLabel) === undefined ? createScan() : null,
    ...(candidates && { candidates: candidates.slice(0, MAX_CANDIDATES) }),
  }),

  delta(item, text, context) {
    writeObject(item, text, context, emitDelta)
  },

  finish(item, context) {
    endObject(item, qualifiedName(item.name, item.serverLabel), context, emitDelta)
  },

  refusal({ available, candidates }) {
    if (available) return undefined
    const message =
      candidates === undefined
        ? 'tool not available'
        : `tool not available: several tools have this name. Use one of ${candidates.join(', ')}`
    return { error: { code: INVALID_PARAMS, message } }
  },

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
