import { clientFailure, type Failure } from '../../../core/completion/failure.js'
import type { EngineError } from '../../../engines/contract/engine-error.js'

/** OpenAI's code for a server that cannot take a request now: its clients retry. */
const OVERLOADED = 'server_is_overloaded'

/** Whether the engine accepts no calls now. Matched by name, because two copies of this package may be installed. */
export function isUnavailable(error: unknown): error is EngineError {
  return error instanceof Error && error.name === 'EngineError' && (error as EngineError).isUnavailable === true
}

/** Returns the client's view of an error: that of `clientFailure`, or that the engine is unavailable. */
export function failureOf(error: unknown): Failure {
  if (!isUnavailable(error)) return clientFailure(error)
  const why = error.reason === undefined ? '' : ` (${error.reason})`
  return { code: OVERLOADED, message: `The model is not available${why}. Please try again later.` }
}

/**
 * Returns how long an engine asks to wait, in milliseconds, if its error says so in a number that a header can carry: it may
 * be a server's own `Retry-After`, or an error of the host's.
 */
export function retryAfterOf(error: unknown): number | undefined {
  const { retryAfterMs } = Object(error) as { retryAfterMs?: unknown }
  const isUsable = typeof retryAfterMs === 'number' && retryAfterMs >= 0 && retryAfterMs <= Number.MAX_SAFE_INTEGER
  return isUsable ? retryAfterMs : undefined
}
