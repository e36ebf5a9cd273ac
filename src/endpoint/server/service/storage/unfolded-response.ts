import type { Failure } from '../../../../core/completion/failure.js'
import { responseOf } from '../../../../core/response-object/response-object.js'
import type { ResponseRequest } from '../../../../core/responses/request.js'
import type { Entry } from '../../../journal/entry.js'
import type { KeptResponse } from '../../../stores/store.js'

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
