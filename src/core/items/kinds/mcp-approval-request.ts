import { stringResult } from '../../options/string-result.js'
import { qualifiedName } from '../../recipients/qualified-name.js'
import { textOf } from '../../text/text-buffer.js'
import type { ItemKind } from '../item-kind.js'
import type { ItemBase } from '../item-state.js'

/*
 * mcp_approval_request: a call of an MCP server's tool that the user has to approve before the host may run it
 *
 *     output_item.added               at the terminator, with all its arguments
 *     output_item.done
 *
 * It has no status. The model's turn ends here: the client sends the approval in its next request.
 */

export interface McpApprovalRequest extends ItemBase {
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
    const { sealApproval } = context.options
    if (sealApproval === undefined) return
    const { serverLabel, name, text } = item
    const call = { serverLabel, name, arguments: textOf(text) }
    item.id = stringResult('sealApproval', sealApproval(call, context.id('mcpr')))
  },

  wire: (item) => ({ arguments: textOf(item.text), name: item.name, server_label: item.serverLabel }),
}
