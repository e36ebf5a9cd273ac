import type { Failure } from '../../../../core/completion/failure.js'
import { IN_PROGRESS, type ResponseProgress, responseOf } from '../../../../core/response-object/response-object.js'
import type { ResponseRequest } from '../../../../core/responses/request.js'
import type { ResponseError, ResponseObject } from '../../../../core/responses/response.js'
import type { Entry } from '../../../journal/entry.js'

/**
 * Returns a response from its first entry alone, which is all that is known of one of another behaviour: it has no
 * output.
 *
 * @param ending - `cancelled`, or why it failed. Absent: it is in progress
 */
export function unfoldedResponse(
  responseId: string,
  open: Entry | undefined,
  ending?: 'cancelled' | Failure,
): ResponseObject {
  const request = (open?.type === 'open' ? open.request : {}) as ResponseRequest
  const progress: ResponseProgress =
    ending === undefined
      ? IN_PROGRESS
      : ending === 'cancelled'
        ? { ...IN_PROGRESS, status: ending }
        : { ...IN_PROGRESS, status: 'failed', error: ending as ResponseError }
  return responseOf({ responseId, createdAt: open?.at ?? 0, request, progress }, true, { output: [], usage: null })
}
