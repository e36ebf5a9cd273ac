import { usedApproval } from '../conversation/approvals.js'
import type { ResolvedRequest } from '../conversation/conversation.js'
import { previousNotFound } from '../conversation/earlier-responses.js'
import type { OpeningRefused } from '../storage/journal.js'

/** Returns the error for the client of a response that the store refused to open. */
export function refusedOpening(error: OpeningRefused, { addition, request, approvedCalls }: ResolvedRequest): Error {
  const { opening } = error
  // Its own id is random, and no other has it.
  if (opening.state === 'no_previous') return previousNotFound(request.previous_response_id ?? addition.previous ?? '')
  if (opening.state === 'consumed') return usedApproval(approvedCalls)
  return error
}
