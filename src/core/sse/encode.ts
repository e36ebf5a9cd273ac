import { check, checkEvent } from '../../shared/errors.js'
import type { ServedStreamEvent } from '../responses/events.js'

/** An event of the API, or of one of its dialects. */
export type SseEvent =
  | ServedStreamEvent
  /** An event of a dialect: any fields beside its type. */
  | { readonly type: string; readonly [field: string]: unknown }

/**
 * The frame that ends a stream for Open Responses clients. OpenAI does not send it on this API, but every client
 * tolerates it.
 */
export const SSE_DONE = 'data: [DONE]\n\n'

/**
 * Writes one event as one SSE frame: `event: TYPE`, `data: JSON`, and a blank line. The name is the event's type, as
 * Open Responses requires. There is no `id:`, because Responses streams cannot be resumed by it.
 *
 * The frame is well-formed whatever the texts contain: JSON escapes the line breaks that would end a `data:` line, and
 * the lone surrogates that UTF-8 cannot encode.
 *
 * @throws HarmonyResponsesError `bad_stream` if the argument is not an event, or its type contains a line break
 *
 * @example
 * ```ts
 * import { translate } from 'harmony-responses'
 * import { encodeSse } from 'harmony-responses/sse'
 *
 * for await (const event of translate(tokens, { request })) save(encodeSse(event))
 * ```
 */
export function encodeSse(event: SseEvent): string {
  checkEvent('encodeSse', event)
  const { type } = event
  // A line break in the type could inject a frame.
  check(!/[\r\n]/.test(type), 'encodeSse', 'a type of one line', type, 'bad_stream')
  return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`
}

/**
 * Writes one value as one SSE frame without a name: `data: JSON` and a blank line. Chat Completions clients expect
 * their chunks in this form; see `toChatChunks` of `harmony-responses/dialects`.
 *
 * @throws HarmonyResponsesError `bad_stream` if the argument is not an object
 *
 * @example
 * ```ts
 * import { encodeSseData } from 'harmony-responses/sse'
 *
 * console.log(encodeSseData({ id: 'chatcmpl-1' }).trimEnd()) // data: {"id":"chatcmpl-1"}
 * ```
 */
export function encodeSseData(value: object): string {
  check(typeof value === 'object' && value !== null, 'encodeSseData', 'an object', value, 'bad_stream')
  return `data: ${JSON.stringify(value)}\n\n`
}
