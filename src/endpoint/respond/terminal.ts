import type { ResponseStreamEvent } from '../../core/responses/events.js'
import type { ResponseObject } from '../../core/responses/response.js'

/** Returns the response of the event that ends a stream; undefined without one. */
export function terminalResponse(events: readonly ResponseStreamEvent[]): ResponseObject | undefined {
  return endedResponse(events.at(-1))
}

/** Returns the response that an event ends; undefined if it ends none. */
export function endedResponse(event: ResponseStreamEvent | undefined): ResponseObject | undefined {
  switch (event?.type) {
    case 'response.completed':
    case 'response.incomplete':
    case 'response.failed':
      return event.response
    default:
      return undefined
  }
}
