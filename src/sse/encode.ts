import { check, checkEvent } from '../errors.js'
import type { ResponseStreamEvent } from '../responses/events.js'

/** An event of the API, or of a dialect of it. */
export type SseEvent = ResponseStreamEvent | { readonly type: string; readonly [field: string]: unknown }

/**
 * The frame that ends a stream for Open Responses clients. OpenAI sends none on this API, and every client tolerates
 * it.
 */
export const SSE_DONE = 'data: [DONE]\n\n'

/**
 * Writes one event as one SSE frame: `event: TYPE`, `data: JSON`, a blank line. The name equals the event's type (as
 * Open Responses requires) and there is no `id:`, since a Responses stream cannot be resumed by one.
 *
 * The frame is well-formed whatever the texts hold: JSON escapes the line breaks that would end a `data:` line, and the
 * lone surrogates that UTF-8 cannot carry.
 *
 * @throws HarmonyResponsesError `bad_stream`: what was given is no event, or its type is more than one line
 */
export function encodeSse(event: SseEvent): string {
  checkEvent('encodeSse', event)
  const { type } = event
  // Behind a line break, whoever named the type could go on with a frame of their own.
  check(!/[\r\n]/.test(type), 'encodeSse', 'a type of one line', type, 'bad_stream')
  return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`
}
