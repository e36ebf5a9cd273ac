import type { ResponseStreamEvent } from '../responses/events.js'

/** A JSON object of whatever fields. */
export interface Fields {
  [field: string]: unknown
}

/** An event in a dialect's words. */
export interface DialectEvent extends Fields {
  type: string
  sequence_number: number
}

/** Maps the events of one stream, one to one and in order. Nothing it is given is changed. */
export type EventMap<From, To> = (event: From) => To

/** How a family of servers words the same stream. Both ways together change nothing. */
export interface Dialect<Name extends string = string> {
  readonly name: Name
  /** A map for one stream into the dialect. */
  encoder(): EventMap<ResponseStreamEvent, DialectEvent>
  /** A map for one stream out of it: of a stream that was mapped into it, the stream that it was. */
  decoder(): EventMap<DialectEvent, ResponseStreamEvent>
}

/** A stream in a dialect, as lazily as it comes, its events numbered from 0. */
export function toDialect(
  events: AsyncIterable<ResponseStreamEvent> | Iterable<ResponseStreamEvent>,
  dialect: Dialect,
): AsyncGenerator<DialectEvent, void> {
  return numbered(events, dialect.encoder())
}

/** A stream that was made by {@link toDialect}, as it was. */
export function fromDialect(
  events: AsyncIterable<DialectEvent> | Iterable<DialectEvent>,
  dialect: Dialect,
): AsyncGenerator<ResponseStreamEvent, void> {
  return numbered(events, dialect.decoder())
}

async function* numbered<From, To extends { sequence_number: number }>(
  events: AsyncIterable<From> | Iterable<From>,
  map: EventMap<From, To>,
): AsyncGenerator<To, void> {
  let sequence_number = 0
  for await (const event of events) yield { ...map(event), sequence_number: sequence_number++ }
}

/**
 * An event with its items and its response mapped, wherever they stand in it.
 *
 * @param map.item - of an item; `isAdded` where it is only announced
 */
export function mapParts(
  event: Fields,
  map: { item(item: Fields, isAdded: boolean): Fields; response?(response: Fields): Fields },
): Fields {
  const { item, response, type } = event
  if (isFields(item)) return { ...event, item: map.item(item, type === 'response.output_item.added') }
  if (!isFields(response)) return event
  const output = listOf(response['output']).map((item) => map.item(item, false))
  const mapped = { ...response, output }
  return { ...event, response: map.response?.(mapped) ?? mapped }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : []
}
