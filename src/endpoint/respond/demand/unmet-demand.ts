import type { OutputItem } from '../../../core/responses/items.js'
import type { ResponseFold } from '../../journal/response-fold.js'
import { isForClient, isHosted } from '../calls/waiting-calls.js'
import type { ForcedCall } from './forced-call.js'

/** Whether the turn has to make the call that the request demands: the first, or the one after the host's reminder. */
export function isDemanded(fold: ResponseFold): boolean {
  return fold.turns === 1 || fold.isReminded
}

/** Whether a turn that had to make a call has ended without one. A refused call does not count. */
export function isDemandUnmet(fold: ResponseFold, forced: ForcedCall | undefined): boolean {
  if (forced === undefined || !isDemanded(fold)) return false
  const isCall = (item: OutputItem): boolean => (isForClient(item) || isHosted(item)) && !fold.isRefused(item.id)
  return !fold.turnOutput.some(isCall)
}
