import { stringResult } from '../../options/string-result.js'
import { qualifiedName } from '../../recipients/qualified-name.js'
import { objectIn } from '../../recipients/written-arguments.js'
import { createTextBuffer, textOf } from '../../text/text-buffer.js'
import type { ItemKind } from '../item-kind.js'
import type { ItemState } from '../item-state.js'

/*
 * mcp_approval_request: a call of an MCP server's tool that the user has to approve before the host may run it
 *
 *     output_item.added               at the terminator, with all its arguments
 *     output_item.done
 *
 * It has no status. The model's turn ends here: the client sends the approval in its next request.
 */

export interface McpApprovalRequest extends ItemState {
  type: 'mcp_approval_request'
  serverLabel: string
  name: string
}

export const mcpApprovalRequest: ItemKind<McpApprovalRequest> = {
  prefix: 'mcpr',
  opens: 'terminator',
  isRunByClient: true,
  hasNoStatus: true,

  calls: ({ name, serverLabel }) => qualifiedName(name, serverLabel),

  create: ({ serverLabel, name }) => ({ serverLabel, name }),

  finish(item, context) {
    const { serverLabel, name } = item
    const { shown, dropped } = objectIn(textOf(item.text))
    if (dropped !== '') {
      item.text = { ...createTextBuffer(), deltas: [shown] }
      context.notice('text_after_arguments', qualifiedName(name, serverLabel), dropped)
    }
    const { sealApproval } = context.options
    if (sealApproval === undefined) return
    // The user approves the arguments as shown, and the tool receives exactly these.
    const call = { serverLabel, name, arguments: shown }
    item.id = stringResult('sealApproval', sealApproval(call, context.id('mcpr')))
  },

  wire: (item) => ({ arguments: textOf(item.text), name: item.name, server_label: item.serverLabel }),
}
