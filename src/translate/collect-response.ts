import { check } from '../errors.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { Response } from '../responses/response.js'

/**
 * The answer to a request that does not stream: the response of the stream's terminal event (`response.completed`,
 * `.incomplete` or `.failed`). The events are read to their end, so that a source can finish its work.
 *
 * @throws HarmonyResponsesError `no_terminal_event`: the stream ended without one
 */
export async function collectResponse(
  events: AsyncIterable<ResponseStreamEvent> | Iterable<ResponseStreamEvent>,
): Promise<Response> {
  let response: Response | undefined
  let last: string | undefined
  for await (const event of events) {
    last = event.type
    if ('response' in event && event.response.status !== 'in_progress') response = event.response
  }
  check(response !== undefined, 'collectResponse', 'a terminal event', last, 'no_terminal_event')
  return response
}
