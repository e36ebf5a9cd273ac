import type { WireEvent } from './wire-event.js'

/** Faults in the order of events: missing, repeated or moved events. @inline */
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

/** Faults in the fields of events: wrong numbers, ids or texts. @inline */
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

/** The kind of a planted fault. */
export type FaultKind = OrderFault | FieldFault

/** The single fault of a stream. */
export interface Fault {
  /** The kind of fault. */
  readonly kind: FaultKind
  /** The position in the faulty stream at which it first shows; for a missing event, its original position. */
  readonly at: number
  /** The fault in words. */
  readonly what: string
}

/** A place where a fault can be planted. */
export interface Site {
  readonly at: number
  readonly what: string
  /** Creates the stream with the fault. It may share unchanged events with the original stream. */
  readonly plant: () => WireEvent[]
}

/** Finds the places for one kind of fault in a well-formed stream, in order. */
export type Sites = (events: readonly WireEvent[]) => Site[]

/** Renumbers a stream, so that a fault in the order of events is not also a fault in their numbers. */
export function renumber(events: readonly WireEvent[], first: number): WireEvent[] {
  return events.map((event, index) => ({ ...event, sequence_number: first + index }))
}

/** A copy of a stream with other fields in one event. */
export function edit(events: readonly WireEvent[], at: number, fields: Record<string, unknown>): WireEvent[] {
  return events.map((event, index) => (index === at ? { ...event, ...fields } : event))
}
