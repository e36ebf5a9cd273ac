import type { InputItem } from '../../../../core/responses/input-items.js'
import { merged } from '../../../../shared/merged.js'
import type { FinishedResponse } from '../../../stores/store.js'
import { withoutHidden } from '../items/hidden-calls.js'
import { itemsOfResponses } from './earlier-responses.js'

/** Returns the conversation of responses, as clients see it: without the calls that `offeredCalls` hides. */
export function shownItems(
  offeredCalls: 'shown' | 'hidden' | undefined,
  responses: readonly FinishedResponse[],
): InputItem[] {
  if (offeredCalls !== 'hidden') return itemsOfResponses(responses)
  return itemsOfResponses(responses.map((each) => merged(each, { response: withoutHidden(each.response) })))
}
