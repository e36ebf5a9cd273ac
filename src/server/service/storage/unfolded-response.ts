import type { Entry } from '../../../journal/entry.js'
import type { ResponseRequest } from '../../../responses/request.js'
import type { KeptResponse } from '../../../stores/store.js'
import type { Failure } from '../../../translate/failure.js'
import { responseOf } from '../../../translate/output/response-object.js'

/**
 * Returns a response from its first entry alone, which is all that is known of one of another behaviour: it has no
 * output.
 *
 * @param failure - why it failed. Absent: it is in progress
 */
export function unfoldedResponse(responseId: string, open: Entry | undefined, failure?: Failure): KeptResponse {
  const request = (open?.type === 'open' ? open.request : {}) as ResponseRequest
  const progress = {
    status: failure === undefined ? ('in_progress' as const) : ('failed' as const),
    completedAt: null,
    error: (failure ?? null) as KeptResponse['error'],
    incompleteReason: null,
  }
  return responseOf({ responseId, createdAt: open?.at ?? 0, request, progress }, true, { output: [], usage: null })
}
