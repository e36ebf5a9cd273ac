import { copyOf } from '../responses/copy-of.js'
import type { ItemEvent } from '../responses/events.js'
import type { OutputItem } from '../responses/items.js'
import { eventsOf, type WireItem } from './item-events.js'

/** A complete item of the host's, checked by `hostItem`. */
export type WholeItem = WireItem & { readonly status?: unknown; readonly error?: unknown }

/**
 * Returns all events between `output_item.added` and `output_item.done` of an item that is complete when it is inserted.
 *
 * @param call - the call that the item answers, if the response has it
 */
export function insertedEvents(item: WholeItem, call: OutputItem | undefined): readonly ItemEvent[] {
  const { running, opened, deltas, written, settled } = eventsOf(item.type)
  const { status = 'completed', error } = item
  const whileRunning = { ...item, status: running }
  const atEnd = { ...item, status: error == null ? status : 'failed' }
  const texts = deltas?.(item).filter((event) => !('delta' in event && event.delta === '')) ?? []
  const begun = [...(opened?.(item) ?? []), ...texts, ...(written?.(whileRunning, call) ?? [])]
  // The host still has the item.
  return copyOf([...byPart(begun), ...(settled?.(atEnd) ?? [])])
}

/** Sorts events so that each part of an item is complete before the next one begins. */
function byPart(events: readonly ItemEvent[]): ItemEvent[] {
  const parts = new Map<string, ItemEvent[]>()
  for (const event of events) {
    const content = 'content_index' in event ? event.content_index : ''
    const summary = 'summary_index' in event ? event.summary_index : ''
    const part = `${content}/${summary}`
    const before = parts.get(part)
    if (before === undefined) parts.set(part, [event])
    else before.push(event)
  }
  return [...parts.values()].flat()
}
