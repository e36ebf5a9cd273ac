import type { McpListedTool } from '../../responses/items.js'
import type { ItemBase, ItemKind } from './item.js'

/*
 * mcp_list_tools: what a declared MCP server offers, as the host learned it before the model was asked
 *
 *     output_item.added               without the tools
 *       mcp_list_tools.in_progress
 *       mcp_list_tools.completed | .failed
 *     output_item.done
 *
 * It has no status.
 */

export interface McpListTools extends ItemBase {
  type: 'mcp_list_tools'
  serverLabel: string
  tools: readonly McpListedTool[]
  /** Why the server could not be asked, or null. */
  error: string | null
}

export const mcpListTools: ItemKind<McpListTools> = {
  type: 'mcp_list_tools',
  prefix: 'mcpl',
  opens: 'header',
  result: 'none',
  isRunByClient: false,

  create({ listing }, base) {
    return { ...base, type: 'mcp_list_tools', ...listing }
  },

  open(item, effects) {
    effects.tell(item, 'response.mcp_list_tools.in_progress', {})
  },

  close(item, _outcome, effects) {
    effects.tell(item, `response.mcp_list_tools.${item.error === null ? 'completed' : 'failed'}`, {})
    return 'done'
  },

  wire({ id, serverLabel, tools, error, stage }) {
    const item = { type: 'mcp_list_tools', id, server_label: serverLabel } as const
    if (stage === 'silent') return { ...item, tools: [] }
    return { ...item, tools: structuredClone(tools) as McpListedTool[], ...(error === null ? {} : { error }) }
  },
}
