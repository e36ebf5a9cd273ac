import type { ItemContext } from '../item-context.js'
import type { ItemBase, ItemStatus } from '../item-state.js'

/** Sets the item's status and emits the event of the same name. */
export function setStatus(item: ItemBase, status: ItemStatus, context: ItemContext): void {
  item.status = status
  // Only called for hosted kinds, all of which have these events in the API.
  context.emitFor(item, `response.${item.type}.${status}` as 'response.mcp_call.completed', {})
}

export function openHosted(item: ItemBase, context: ItemContext): void {
  setStatus(item, 'in_progress', context)
}

/**
 * Sets the status that follows from a result.
 *
 * @param result - null if none will come
 * @param hasFailedEvent - whether the API has a `.failed` event for the item; without one only its status says `failed`
 */
export function resolveStatus(
  item: ItemBase,
  result: { readonly error?: unknown } | null,
  hasFailedEvent: boolean,
  context: ItemContext,
): void {
  if (result === null) item.status = 'incomplete'
  else if (result.error === undefined) setStatus(item, 'completed', context)
  else if (hasFailedEvent) setStatus(item, 'failed', context)
  else item.status = 'failed'
}
