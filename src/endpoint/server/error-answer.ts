import { failureIn } from '../../core/completion/failure.js'
import { failedRequest } from '../../shared/failed-request.js'
import { RequestError, type RequestErrorBody } from '../../shared/request-error.js'
import { failureOf, retryAfterOf } from '../respond/opening/unavailable.js'
import type { KeptResponse } from '../stores/store.js'
import { UnsupportedEncoding } from './decode/content-encoding.js'
import { stopping } from './service/limits/admission.js'
import type { LiveResponse } from './service/running/live-response.js'
import { StoreFailure } from './service/storage/bounded-store.js'
import { STORE_FAILED } from './service/storage/store-failed.js'

/** The answer to a request that failed. */
export interface ErrorAnswer {
  readonly status: number
  readonly body: RequestErrorBody
  readonly headers: Readonly<Record<string, string>>
}

/** @param report - receives errors that are not the client's fault, which it is not shown */
export function errorAnswer(error: unknown, report: (error: unknown) => void): ErrorAnswer {
  if (error instanceof UnsupportedEncoding) {
    return { ...answerOf(error), headers: { 'accept-encoding': error.accepted } }
  }
  if (error instanceof RequestError) return answerOf(error, error.retryAfterMs)
  report(error)
  return answerOf(failedRequest(error instanceof StoreFailure ? STORE_FAILED : failureOf(error)), retryAfterOf(error))
}

/**
 * Returns the answer for a response that failed or was cancelled to a client that does not stream: an error status,
 * because few clients look for a failure in a 200.
 */
export function failedAnswer(
  response: KeptResponse,
  { calls, isStopped }: Pick<LiveResponse, 'calls' | 'isStopped'>,
): ErrorAnswer {
  const failure = failureIn(response)
  if (response.status === 'cancelled') {
    const { status, body } = answerOf(new RequestError(failure.message, { status: 503 }))
    // Someone wanted it to end: an SDK would begin it again by itself.
    return { status, body, headers: { 'x-should-retry': 'false' } }
  }
  // Its client can send the request again, to the next server.
  return isStopped?.() ? answerOf(stopping()) : answerOf(failedRequest(failure), calls?.retryAfterMs)
}

/**
 * A client that is told to wait longer than this is also told not to try again by itself: OpenAI's SDKs ignore such a
 * `Retry-After` and try again at once, and others sleep as long as they are told, a day if it says so.
 */
const MAX_RETRY_MS = 60_000

function answerOf({ status, body }: Pick<RequestError, 'status' | 'body'>, retryAfterMs = 0): ErrorAnswer {
  const canTryAgain = status === 429 || status === 503
  if (!canTryAgain) return { status, body, headers: {} }
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  const isLong = retryAfterMs > MAX_RETRY_MS
  return { status, body, headers: { 'retry-after': `${seconds}`, ...(isLong && { 'x-should-retry': 'false' }) } }
}
