import { type Fields, fieldsOf, type StreamEvent } from './stream-event.js'
import type { StreamState } from './stream-state.js'

/** What a violation is about: by this, a report finds out which violations follow from which. */
export interface About {
  /** The item, by its index. */
  readonly outputIndex?: number
  /** The item, by the id that the event or the item itself has. */
  readonly itemId?: string
  /** The content part of the item. */
  readonly contentIndex?: number
  /** The summary part of the item. */
  readonly summaryIndex?: number
  /** The position of the event that announced the part, or else the item; absent where nothing did. */
  readonly since?: number
  /**
   * What a wrong sequence_number is evidence of: events that never came (`lost`), one that came twice (`repeated`), or
   * events in another order (`reordered`).
   */
  readonly evidence?: 'lost' | 'repeated' | 'reordered'
}

/** One item, for an invariant that looks at all of them at once. */
export function aboutItem(outputIndex: number, itemId: string, since?: number): About {
  return { outputIndex, ...(itemId === '' ? {} : { itemId }), ...(since === undefined ? {} : { since }) }
}

/** What an event is about; `given` is what the invariant knows better. */
export function aboutOf(event: StreamEvent | undefined, reading: StreamState, given: About = {}): About | undefined {
  const { output_index: index, content_index: content, summary_index: summary }: Fields = event ?? {}
  const { item, part } = event === undefined ? {} : reading
  const itemId = event?.['item_id'] ?? fieldsOf(event?.['item'])['id'] ?? item?.id
  const since = part?.at ?? item?.at
  const about: About = {
    ...(Number.isInteger(index) ? { outputIndex: index as number } : {}),
    ...(typeof itemId === 'string' && itemId !== '' ? { itemId } : {}),
    ...(Number.isInteger(content) ? { contentIndex: content as number } : {}),
    ...(Number.isInteger(summary) ? { summaryIndex: summary as number } : {}),
    ...(since === undefined ? {} : { since }),
    ...given,
  }
  return Object.keys(about).length === 0 ? undefined : about
}
