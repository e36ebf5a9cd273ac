import type { Fields } from '../../shared/fields.js'
import { asFields, type StreamEvent } from './stream-event.js'
import type { StreamState } from './stream-state.js'

/**
 * The item or part that a violation concerns; the choice and call of Chat Completions; the block of Messages. A report groups
 * violations by cause with it.
 */
export interface ViolationSubject {
  /** The item's output_index. */
  readonly outputIndex?: number
  /** The item's id, as the event or the item gives it. */
  readonly itemId?: string
  /** The index of the content part. */
  readonly contentIndex?: number
  /** The index of the summary part. */
  readonly summaryIndex?: number
  /** The index of the choice: in Chat Completions. */
  readonly choice?: number
  /** The index of the call in the choice: in Chat Completions. */
  readonly call?: number
  /** The index of the block: in the Messages API. */
  readonly block?: number
  /** The position of the event that added the part, or else the item; absent if no event did. */
  readonly since?: number
  /**
   * The cause that a wrong sequence_number suggests: events are missing (`lost`), one came twice (`repeated`), or
   * events came in another order (`reordered`).
   */
  readonly evidence?: 'lost' | 'repeated' | 'reordered'
}

/** Refers to one item, for a rule that checks all items at once. */
export function aboutItem(outputIndex: number, itemId: string, since?: number): ViolationSubject {
  return { outputIndex, ...(itemId === '' ? {} : { itemId }), ...(since === undefined ? {} : { since }) }
}

/** The item and part that an event concerns. The fields of `given` take precedence. */
export function aboutOf(
  event: StreamEvent | undefined,
  state: StreamState,
  given: ViolationSubject = {},
): ViolationSubject | undefined {
  const { output_index: index, content_index: content, summary_index: summary }: Fields = event ?? {}
  const { item, part } = event === undefined ? {} : state
  const itemId = event?.['item_id'] ?? asFields(event?.['item'])['id'] ?? item?.id
  const since = part?.at ?? item?.at
  const about: ViolationSubject = {
    ...(Number.isInteger(index) ? { outputIndex: index as number } : {}),
    ...(typeof itemId === 'string' && itemId !== '' ? { itemId } : {}),
    ...(Number.isInteger(content) ? { contentIndex: content as number } : {}),
    ...(Number.isInteger(summary) ? { summaryIndex: summary as number } : {}),
    ...(since === undefined ? {} : { since }),
    ...given,
  }
  return Object.keys(about).length === 0 ? undefined : about
}
