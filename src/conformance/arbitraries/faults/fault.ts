import type { WireEvent } from './wire-event.js'

/** Events that are missing, there twice, or in another place. */
export type OrderFault =
  | 'dropped_created'
  | 'dropped_in_progress'
  | 'dropped_item_added'
  | 'dropped_part_added'
  | 'dropped_delta'
  | 'dropped_done'
  | 'dropped_item_done'
  | 'dropped_terminal'
  | 'duplicated_event'
  | 'swapped_events'
  | 'event_after_terminal'

/** Events of which a number, an id or a text is another than it should be. */
export type FieldFault =
  | 'sequence_gap'
  | 'sequence_restart'
  | 'output_index_drift'
  | 'content_index_per_delta'
  | 'item_id_changed'
  | 'done_id_changed'
  | 'call_id_changed'
  | 'terminal_id_changed'
  | 'response_id_changed'
  | 'terminal_item_missing'
  | 'terminal_items_reordered'
  | 'terminal_status_differs'
  | 'done_text_differs'
  | 'arguments_in_added'
  | 'flat_error'

/** What a planted fault is. */
export type FaultKind = OrderFault | FieldFault

/** The one fault of a stream. */
export interface Fault {
  readonly kind: FaultKind
  /** The position in the faulty stream at which it can first be seen; of a missing event, where it would be. */
  readonly at: number
  /** The fault as a sentence, for people. */
  readonly what: string
}

/** A place where a fault can be planted. */
export interface Site {
  readonly at: number
  readonly what: string
  /** The stream with the fault. What is the same as before may be shared with the stream it was made of. */
  readonly plant: () => WireEvent[]
}

/** The places of one kind of fault in a well-formed stream, first to last. */
export type Sites = (events: readonly WireEvent[]) => Site[]

/** Numbers a stream anew, so that a change of its order is not a fault of its numbers as well. */
export function renumber(events: readonly WireEvent[], first: number): WireEvent[] {
  return events.map((event, index) => ({ ...event, sequence_number: first + index }))
}

/** A stream in which one event has other fields. */
export function edit(events: readonly WireEvent[], at: number, fields: Record<string, unknown>): WireEvent[] {
  return events.map((event, index) => (index === at ? { ...event, ...fields } : event))
}
