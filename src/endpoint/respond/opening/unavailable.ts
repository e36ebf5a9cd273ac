import { clientFailure, type Failure } from '../../../core/completion/failure.js'
import type { EngineError } from '../../../engines/contract/engine-error.js'

/** OpenAI's code for a server that cannot take a request now: its clients retry. */
export const OVERLOADED = 'server_is_overloaded'

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
