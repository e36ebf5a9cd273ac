import { type Failure, NEUTRAL } from '../../core/completion/failure.js'
import { errorTypeOf, RequestError, type RequestErrorBody } from '../../shared/request-error.js'
import { failureOf, OVERLOADED } from '../respond/opening/unavailable.js'
import type { KeptResponse } from '../stores/store.js'
import { UnsupportedEncoding } from './decode/content-encoding.js'
import { StoreFailure } from './service/storage/bounded-store.js'
import { STORE_FAILED } from './service/storage/store-failed.js'

/** The answer to a request that failed. */
export interface ErrorAnswer {
  readonly status: number
  readonly body: RequestErrorBody
  readonly headers: Readonly<Record<string, string>>
}

/** The statuses of failures with a code of their own; any other is the server's fault. */
const STATUSES: ReadonlyMap<string | undefined, number> = new Map([
  ['context_length_exceeded', 400],
  ['invalid_prompt', 400],
  ['rate_limit_exceeded', 429],
  [OVERLOADED, 503],
])

/** @param report - receives errors that are not the client's fault, which it is not shown */
export function errorAnswer(error: unknown, report: (error: unknown) => void): ErrorAnswer {
  if (error instanceof UnsupportedEncoding) {
    return { ...answerOf(error), headers: { 'accept-encoding': error.accepted } }
  }
  if (error instanceof RequestError) return answerOf(error)
  report(error)
  return failureAnswer(error instanceof StoreFailure ? STORE_FAILED : failureOf(error))
}

/**
 * Returns the answer for a failed or partial response to a client that does not stream: an error status, because few
 * clients look for a failure in a 200.
 */
export function failedAnswer({ error, status }: KeptResponse): ErrorAnswer {
  if (status === 'cancelled') return answerOf(new RequestError('The response was cancelled.', { status: 503 }))
  return failureAnswer(error ?? NEUTRAL)
}

function failureAnswer({ code = 'server_error', message }: Failure): ErrorAnswer {
  const status = STATUSES.get(code) ?? 500
  // A host's tool or source may use any code: it need not be one of a RequestError.
  return answerOf({ status, body: { error: { message, type: errorTypeOf(status), param: null, code } } })
}

function answerOf({ status, body }: Pick<RequestError, 'status' | 'body'>): ErrorAnswer {
  const canTryAgain = status === 429 || status === 503
  return { status, body, headers: canTryAgain ? { 'retry-after': '1' } : {} }
}
