import type { CodeInterpreterCall } from './code-interpreter-call.js'
import type { ItemContext, ItemStatus } from './item.js'
import type { McpCall } from './mcp-call.js'
import type { McpListTools } from './mcp-list-tools.js'
import type { WebSearchCall } from './web-search-call.js'

/** What the host does. */
export type HostedItem = CodeInterpreterCall | McpCall | McpListTools | WebSearchCall

/** How far the host is, an item says twice: in its status and in an event of that name. */
export function setStatus(item: HostedItem, status: ItemStatus, context: ItemContext): void {
  item.status = status
  context.emitFor(item, `response.${item.type}.${status}` as 'response.mcp_call.completed', {})
}

export function openHosted(item: HostedItem, context: ItemContext): void {
  setStatus(item, 'in_progress', context)
}

/** What was made of it is there; null where it never will be. Of failure only MCP has an event. */
export function resolveHosted(
  item: HostedItem,
  result: { readonly error?: unknown } | null,
  context: ItemContext,
): void {
  if (result === null) item.status = 'incomplete'
  else if (result.error === undefined) setStatus(item, 'completed', context)
  else if ('serverLabel' in item) setStatus(item, 'failed', context)
  else item.status = 'failed'
}
