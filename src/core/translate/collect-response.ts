import { check, checkEvent, checkStream } from '../../shared/errors.js'
import { isOpen } from '../response-object/response-object.js'
import type { ServedStreamEvent } from '../responses/events.js'
import type { Response } from '../responses/response.js'

/** @inline */
type Events = ServedStreamEvent | readonly ServedStreamEvent[]

/**
 * Returns the answer to a request that does not stream: the response of the stream's terminal event
 * (`response.completed`, `.incomplete` or `.failed`). The events are read to their end, so that a source can finish its
 * work.
 *
 * @param events - one at a time or in arrays, as `translate`, `translateBatches` and `decodeSse` yield them
 * @throws HarmonyResponsesError `no_terminal_event`: the stream ended without one; `bad_stream`: it is no stream of
 * events
 *
 * @example
 * ```ts
 * import { collectResponse, translate } from 'harmony-responses'
 *
 * const response = await collectResponse(translate(tokens, { request }))
 * console.log(response.status) // completed
 * ```
 */
export async function collectResponse(events: AsyncIterable<Events> | Iterable<Events>): Promise<Response> {
  checkStream('collectResponse', events)
  let response: Response | undefined
  let last: string | undefined
  for await (const given of events) {
    for (const event of [given].flat() as ServedStreamEvent[]) {
      checkEvent('collectResponse', event)
      last = event.type
      if ('response' in event && !isOpen(event.response.status)) response = event.response
    }
  }
  check(response !== undefined, 'collectResponse', 'a terminal event', last, 'no_terminal_event')
  return response
}
