import type { EngineError } from '../engine/engine-error.js'
import { clientFailure, type Failure } from '../translate/failure.js'

/** The code of a server that cannot take a request now, as OpenAI has it: its clients try again. */
export const OVERLOADED = 'server_is_overloaded'

/** Whether the engine takes no calls now. Matched by name, because two copies of this package may be installed. */
export function isUnavailable(error: unknown): error is EngineError {
  return error instanceof Error && error.name === 'EngineError' && (error as EngineError).isUnavailable === true
}

/** What the client may see of an error: as in `clientFailure`, and that the engine is unavailable. */
export function failureOf(error: unknown): Failure {
  if (!isUnavailable(error)) return clientFailure(error)
  const why = error.reason === undefined ? '' : ` (${error.reason})`
  return { code: OVERLOADED, message: `The model is not available${why}. Please try again later.` }
}
