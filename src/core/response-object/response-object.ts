import { copyOf } from '../responses/copy-of.js'
import type { ResponseRequest } from '../responses/request.js'
import type { Response, ResponseError, ResponseStatus } from '../responses/response.js'
import { echoOf } from './request-echo.js'

/** The progress of a response. Plain data; replaced, never mutated. */
export interface ResponseProgress {
  readonly status: ResponseStatus
  /** Unix time in whole seconds. */
  readonly completedAt: number | null
  readonly error: ResponseError | null
  readonly incompleteReason: 'max_output_tokens' | 'content_filter' | null
}

/** The progress of a new response. */
export const IN_PROGRESS: ResponseProgress = {
  status: 'in_progress',
  completedAt: null,
  error: null,
  incompleteReason: null,
}

/** Whether a response of this status goes on. */
export function isOpen(status: ResponseStatus): boolean {
  return status === 'in_progress' || status === 'queued'
}

/** The part of a translator's state that describes its response. */
export interface ResponseState {
  readonly responseId: string
  readonly createdAt: number
  readonly request: ResponseRequest
  progress: ResponseProgress
}

/**
 * Returns the current response object, as a detached value.
 *
 * @param store - the value to echo if the request does not set `store`
 */
export function responseOf(
  { responseId, createdAt, request, progress }: ResponseState,
  store: boolean,
  made: Pick<Response, 'output' | 'usage' | 'input_messages' | 'output_messages'>,
): Response {
  const { status, completedAt, error, incompleteReason } = progress
  return {
    id: responseId,
    object: 'response',
    created_at: createdAt,
    status,
    completed_at: completedAt,
    error: copyOf(error),
    incomplete_details: incompleteReason && { reason: incompleteReason },
    ...echoOf(request, store),
    ...made,
    access_programs: null,
  }
}
