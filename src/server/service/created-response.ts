import { type TranslateEntriesOptions, translateEntries } from '../../respond/index.js'
import type { ResponseStreamEvent } from '../../responses/events.js'
import type { ResponseObject } from '../../responses/response.js'
import type { TakenOver } from './journal.js'

/** Returns the initial state of a response that this process took over, from its first entry. */
export function createdAnew({ entries }: TakenOver, options: TranslateEntriesOptions): ResponseObject {
  const translation = translateEntries(options)
  try {
    const [open] = entries
    return createdResponse(open === undefined ? [] : translation.apply(open)) as ResponseObject
  } finally {
    translation.dispose()
  }
}

/** Returns the initial state of a response, from its first events. */
export function createdResponse(events: readonly ResponseStreamEvent[]): ResponseObject | undefined {
  const [event] = events
  return event?.type === 'response.created' ? event.response : undefined
}
