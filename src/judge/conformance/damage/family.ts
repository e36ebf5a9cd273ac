import { type Fields, isFields } from '../../../shared/fields.js'
import type { StreamEvent } from '../stream-event.js'

/** An event of a stream, as JSON. */
export type WireEvent = StreamEvent

/** A stream with one mistake of a family. */
export interface FamilyDamage<Event = WireEvent> {
  /** The mistake, in a few words. */
  readonly how: string
  /** The number of the first event at fault. */
  readonly at: number
  readonly events: readonly Event[]
  /** The stream without the mistake, if that differs from the one that was damaged. */
  readonly base?: readonly Event[]
}

/** A kind of mistake that servers make, in all the ways that are known. */
export interface Family<Event = WireEvent> {
  readonly name: string
  /** Whether only ids or usage are damaged: invisible differences do not count against a verdict. */
  readonly isSoft?: true
  /** Yields every damage of this family to a stream. `other` is another good stream. */
  damages(events: readonly Event[], other: readonly Event[]): Iterable<FamilyDamage<Event>>
}

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})

export const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : [])

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export const isTerminal = ({ type }: WireEvent): boolean => /^response\.(completed|incomplete|failed)$/.test(type)

export const isDelta = ({ type }: WireEvent): boolean => type.endsWith('.delta')

/** Returns the number of the terminal event; without one, the number of events. */
export function endOf(events: readonly WireEvent[]): number {
  const at = events.findIndex(isTerminal)
  return at < 0 ? events.length : at
}

/** The place of an item in a stream. */
export interface ItemSpan {
  readonly index: number
  readonly id: string
  readonly type: string
  readonly addedAt: number
  readonly doneAt: number
}

/** The items that are added and done. */
export function itemsIn(events: readonly WireEvent[]): ItemSpan[] {
  return events.flatMap((event, addedAt) => {
    if (event.type !== 'response.output_item.added') return []
    const { id, type } = fieldsOf(event['item'])
    const index = event['output_index'] as number
    const doneAt = events.findIndex(
      (one, at) => at > addedAt && one.type === 'response.output_item.done' && one['output_index'] === index,
    )
    return doneAt < 0 ? [] : [{ index, id: textOf(id), type: textOf(type), addedAt, doneAt }]
  })
}

/** The stream with an event replaced by others. */
export const replaced = <Event>(events: readonly Event[], at: number, by: readonly Event[]): Event[] => [
  ...events.slice(0, at),
  ...by,
  ...events.slice(at + 1),
]

/** The stream with events before the one at `at`. */
export const inserted = <Event>(events: readonly Event[], at: number, more: readonly Event[]): Event[] => [
  ...events.slice(0, at),
  ...more,
  ...events.slice(at),
]

/** The stream with the event of `from` moved before the one of `to`. */
export function moved<Event>(events: readonly Event[], from: number, to: number): Event[] {
  const rest = events.filter((_, at) => at !== from)
  return inserted(rest, to > from ? to - 1 : to, [events[from] as Event])
}

/** A damage of one event, which others replace. */
export const replacing = <Event>(
  how: string,
  events: readonly Event[],
  at: number,
  ...by: readonly Event[]
): FamilyDamage<Event> => ({ how, at, events: replaced(events, at, by) })

/** A damage by events that come before the one at `at`. */
export const inserting = <Event>(
  how: string,
  events: readonly Event[],
  at: number,
  more: readonly Event[],
): FamilyDamage<Event> => ({ how, at, events: inserted(events, at, more) })

/** A damage by which the stream ends before the event at `at`, or with other events in its place. */
export const cutting = <Event>(
  how: string,
  events: readonly Event[],
  at: number,
  ...by: readonly Event[]
): FamilyDamage<Event> => ({ how, at, events: [...events.slice(0, at), ...by] })

/** A damage of each event. */
export const changing = <Event>(
  how: string,
  events: readonly Event[],
  change: (event: Event, at: number) => Event,
  at = 0,
): FamilyDamage<Event> => ({ how, at, events: events.map(change) })

/** Sequence numbers as a server that does not notice the mistake would give them. */
export const renumbered = (events: readonly WireEvent[]): WireEvent[] =>
  events.map((event, at) => (typeof event['sequence_number'] === 'number' ? { ...event, sequence_number: at } : event))

/** Applies `change` to every object of an event, the innermost first. */
function mapObjects(value: unknown, change: (fields: Fields) => Fields): unknown {
  if (Array.isArray(value)) return value.map((one) => mapObjects(one, change))
  if (typeof value !== 'object' || value === null) return value
  return change(
    Object.fromEntries(Object.entries(value as Fields).map(([name, inner]) => [name, mapObjects(inner, change)])),
  )
}

export const mapEvent = (event: WireEvent, change: (fields: Fields) => Fields): WireEvent =>
  mapObjects(event, change) as WireEvent

/** An event whose items with an id have other fields. */
export const withListed = (event: WireEvent, id: string, fields: Fields): WireEvent =>
  mapEvent(event, (own) => (own['id'] === id ? { ...own, ...fields } : own))

/** An event in which an item has another id. */
export const withOtherId = (event: WireEvent, id: string, to: string): WireEvent =>
  mapEvent(event, (fields) => ({
    ...fields,
    ...(fields['id'] === id && { id: to }),
    ...(fields['item_id'] === id && { item_id: to }),
  }))

/** The numbers of the events that `is` selects: the first, one of the middle, and the last. */
export function sampleOf<Event>(events: readonly Event[], is: (event: Event, at: number) => boolean): number[] {
  const all = events.flatMap((event, at) => (is(event, at) ? [at] : []))
  return [...new Set([all[0], all[Math.floor(all.length / 2)], all.at(-1)])].filter((at) => at !== undefined)
}

/** An event with another value in its item. */
export const withItem = (event: WireEvent, fields: Fields): WireEvent => ({
  ...event,
  item: { ...fieldsOf(event['item']), ...fields },
})

/** An event with another value in its response. */
export const withResponse = (event: WireEvent, fields: Fields): WireEvent => ({
  ...event,
  response: { ...fieldsOf(event['response']), ...fields },
})
