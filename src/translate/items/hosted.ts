import type { CodeInterpreterCall } from './code-interpreter-call.js'
import type { Effects, ItemStatus } from './item.js'
import type { McpCall } from './mcp-call.js'
import type { McpListTools } from './mcp-list-tools.js'
import type { WebSearchCall } from './web-search-call.js'

/** What the host does. */
export type HostedItem = CodeInterpreterCall | McpCall | McpListTools | WebSearchCall

/** How far the host is, an item says twice: in its status and in an event of that name. */
export function enter(item: HostedItem, status: ItemStatus, effects: Effects): void {
  item.status = status
  effects.tell(item, `response.${item.type}.${status}` as 'response.mcp_call.completed', {})
}

export function openHosted(item: HostedItem, effects: Effects): void {
  enter(item, 'in_progress', effects)
}

/** What was made of it is there; null where it never will be. Of failure only MCP has an event. */
export function conclude(item: HostedItem, result: { readonly error?: unknown } | null, effects: Effects): void {
  if (result === null) item.status = 'incomplete'
  else if (result.error === undefined) enter(item, 'completed', effects)
  else if ('serverLabel' in item) enter(item, 'failed', effects)
  else item.status = 'failed'
}
