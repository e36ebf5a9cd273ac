import { HarmonyResponsesError } from '../errors.js'
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
  let count = 0
  let last: string | undefined
  for await (const event of events) {
    count += 1
    last = event.type
    switch (event.type) {
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        response = event.response
    }
  }
  if (response !== undefined) return response
  const got = last === undefined ? 'no event at all' : `${count} events, the last of type ${last}`
  throw new HarmonyResponsesError('no_terminal_event', `expected a terminal event, got ${got}`)
}
