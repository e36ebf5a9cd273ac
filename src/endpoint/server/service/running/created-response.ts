import type { ResponseStreamEvent } from '../../../../core/responses/events.js'
import type { ResponseObject } from '../../../../core/responses/response.js'
import { type TranslateEntriesOptions, translateEntries } from '../../../respond/index.js'
import type { TakenOver } from '../storage/journal.js'

/** Returns the initial state of a response that this process took over, from its first entry. */
export function createdAnew({ entries }: TakenOver, options: TranslateEntriesOptions): ResponseObject {
  const translation = translateEntries(options)
  try {
    const [open] = entries
    return createdResponse(open === undefined ? [] : translation.apply(open))
  } finally {
    translation.dispose()
  }
}

/** Returns the initial state of a response, from its first events. @throws Error if the response has not begun */
export function createdResponse([event]: readonly ResponseStreamEvent[]): ResponseObject {
  if (event?.type === 'response.created') return event.response
  throw new Error('a response without response.created')
}
