import type { ResponseStreamEvent } from '../responses/events.js'
import type { ResponseObject } from '../responses/response.js'

/** The response of the event that ends a stream; undefined for events that do not. */
export function terminalResponse(events: readonly ResponseStreamEvent[]): ResponseObject | undefined {
  const last = events.at(-1)
  switch (last?.type) {
    case 'response.completed':
    case 'response.incomplete':
    case 'response.failed':
      return last.response
    default:
      return undefined
  }
}
