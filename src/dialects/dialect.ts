import type { KeepAliveEvent, ResponseStreamEvent, ServedStreamEvent } from '../core/responses/events.js'
import type { Response } from '../core/responses/response.js'
import { check, checkEvent, checkStream } from '../shared/errors.js'
import { type Fields, isFields } from '../shared/fields.js'
import { merged } from '../shared/merged.js'

/** An event in a dialect. */
export interface DialectEvent extends Fields {
  /** The event's type, as the dialect names it. */
  type: string
  /** The position in the stream, from 0. */
  sequence_number: number
}

/** A response in a dialect; each dialect has a more precise type. */
export interface DialectResponse {
  /** The response's id. */
  id: string
  object: 'response'
  /** The items, in the dialect's form. */
  output: { type: string }[]
}

/** Maps the events of one stream, one to one and in order, without mutating them. */
export type EventMapper<From, To> = (event: From) => To

/** The form in which a family of servers writes streams and responses. Encoding then decoding is lossless. */
export interface Dialect<Name extends string = string, Theirs extends DialectResponse = DialectResponse> {
  /** The dialect's name, for options and messages. */
  readonly name: Name
  /** Creates a mapping of one stream into the dialect. */
  encoder(): EventMapper<ResponseStreamEvent, DialectEvent>
  /** Creates the inverse mapping of one stream. */
  decoder(): EventMapper<DialectEvent, ResponseStreamEvent>
  /** Maps a response to the form it has in the dialect's events. */
  encodeResponse(response: Response): Theirs
  /** Maps a response back: the inverse of `encodeResponse`. */
  decodeResponse(response: Theirs): Response
}

/**
 * Maps a stream to a dialect, lazily, with its events numbered from 0. Keep-alives are left out.
 *
 * @param events - single events or batches, as `translate`, `translateBatches` and `decodeSse` yield them
 * @throws HarmonyResponsesError at once: `bad_option` if `dialect` is not a dialect, `bad_stream` if `events` is not a
 * stream; while reading: `bad_stream` if a value is not an event
 *
 * @example
 * ```ts
 * import { translate } from 'harmony-responses'
 * import { openResponses, toDialect } from 'harmony-responses/dialects'
 * import { toSseResponse } from 'harmony-responses/sse'
 *
 * const response = toSseResponse(toDialect(translate(tokens, { request }), openResponses), { done: true })
 * ```
 */
export function toDialect(events: Events<ServedStreamEvent>, dialect: Dialect): AsyncGenerator<DialectEvent, void> {
  checkDialect('toDialect', dialect, 'encoder')
  checkStream('toDialect', events)
  return numbered('toDialect', events, dialect.encoder())
}

/**
 * Maps a stream in a dialect, such as {@link toDialect} yields, back to OpenAI's format.
 *
 * @throws HarmonyResponsesError like {@link toDialect}
 *
 * @example
 * ```ts
 * import { fromDialect, openResponses, toDialect } from 'harmony-responses/dialects'
 *
 * for await (const event of fromDialect(toDialect(events, openResponses), openResponses)) send([event])
 * ```
 */
export function fromDialect(events: Events<DialectEvent>, dialect: Dialect): AsyncGenerator<ResponseStreamEvent, void> {
  checkDialect('fromDialect', dialect, 'decoder')
  checkStream('fromDialect', events)
  return numbered('fromDialect', events, dialect.decoder())
}

/**
 * Maps the response to a request without streaming to a dialect, in the form of a stream's terminal event.
 *
 * @throws HarmonyResponsesError `bad_option` if `dialect` is not a dialect, `bad_stream` if `response` is not a
 * response
 *
 * @example
 * ```ts
 * import { collectResponse, translate } from 'harmony-responses'
 * import { openResponses, toDialectResponse } from 'harmony-responses/dialects'
 *
 * const response = await collectResponse(translate(tokens, { request }))
 * save(JSON.stringify(toDialectResponse(response, openResponses)))
 * ```
 */
export function toDialectResponse<Theirs extends DialectResponse>(
  response: Response,
  dialect: Dialect<string, Theirs>,
): Theirs {
  checkDialect('toDialectResponse', dialect, 'encodeResponse')
  checkResponse('toDialectResponse', response)
  return dialect.encodeResponse(response)
}

/**
 * Maps a response in a dialect, such as {@link toDialectResponse} returns, back to OpenAI's format.
 *
 * @throws HarmonyResponsesError like {@link toDialectResponse}
 *
 * @example
 * ```ts
 * import { collectResponse, translate } from 'harmony-responses'
 * import { fromDialectResponse, toDialectResponse, vllm } from 'harmony-responses/dialects'
 *
 * const theirs = toDialectResponse(await collectResponse(translate(tokens, { request })), vllm)
 * console.log(fromDialectResponse(theirs, vllm).status) // completed
 * ```
 */
export function fromDialectResponse<Theirs extends DialectResponse>(
  response: Theirs,
  dialect: Dialect<string, Theirs>,
): Response {
  checkDialect('fromDialectResponse', dialect, 'decodeResponse')
  checkResponse('fromDialectResponse', response)
  return dialect.decodeResponse(response)
}

/** @inline */
type Events<Event> = AsyncIterable<Event | readonly Event[]> | Iterable<Event | readonly Event[]>

async function* numbered<From extends { readonly type: string }, To extends { sequence_number: number }>(
  what: string,
  events: Events<From | KeepAliveEvent>,
  map: EventMapper<From, To>,
): AsyncGenerator<To, void> {
  let sequence_number = 0
  for await (const given of events) {
    for (const event of isBatch(given) ? given : [given]) {
      checkEvent(what, event)
      if (event.type !== 'keepalive') yield merged(map(event as From), { sequence_number: sequence_number++ })
    }
  }
}

function isBatch<Event>(events: Event | readonly Event[]): events is readonly Event[] {
  return Array.isArray(events)
}

function checkDialect(what: string, dialect: unknown, method: keyof Dialect): void {
  const isDialect = typeof Object(dialect)[method] === 'function'
  check(isDialect, `${what}: dialect`, 'a dialect, such as openResponses or vllm', dialect)
}

function checkResponse(what: string, response: unknown): void {
  check(Object(response).object === 'response', what, 'a response', response, 'bad_stream')
}

/** Mappings of the parts of events and responses in one direction. */
export interface PartMap {
  /** Maps an item; `isAdded` for `output_item.added`. */
  item(item: Fields, isAdded: boolean): Fields
  /** Maps a response whose items are already mapped. */
  response(response: Fields): Fields
}

/** Maps the item or the response in an event. */
export function mapParts(event: Fields, map: PartMap): Fields {
  const { item, response, type } = event
  if (isFields(item)) return { ...event, item: map.item(item, type === 'response.output_item.added') }
  return isFields(response) ? { ...event, response: mapResponse(response, map) } : event
}

/** Maps a response, inside an event or on its own. */
export function mapResponse(response: Fields, map: PartMap): Fields {
  return map.response({ ...response, output: listOf(response['output']).map((item) => map.item(item, false)) })
}

export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : []
}
