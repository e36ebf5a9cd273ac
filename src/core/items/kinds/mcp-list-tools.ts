import type { Listing } from '../../options/mcp-listing.js'
import type { McpListedTool } from '../../responses/items.js'
import type { ItemKind } from '../item-kind.js'
import type { ItemState } from '../item-state.js'

/*
 * mcp_list_tools: the tools of a declared MCP server, which the host listed before calling the model
 *
 *     output_item.added               without the tools
 *       mcp_list_tools.in_progress
 *       mcp_list_tools.completed | .failed
 *     output_item.done
 *
 * It has no status.
 */

export interface McpListTools extends ItemState {
  type: 'mcp_list_tools'
  serverLabel: string
  tools: readonly McpListedTool[]
  /** Why the listing failed, or null. */
  error: string | null
}

export const mcpListTools: ItemKind<McpListTools, { readonly kind: 'mcp_list_tools'; readonly listing: Listing }> = {
  prefix: 'mcpl',
  hasNoStatus: true,

  create: ({ listing }) => listing,

  wire: (item) => ({
    server_label: item.serverLabel,
    // Not copied: `OutputItems` copies those that it gives away.
    tools: item.tools as McpListedTool[],
    ...(item.error !== null && { error: item.error }),
  }),
}
