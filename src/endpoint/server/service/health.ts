import type { TokenEngine } from '../../../engines/contract/index.js'
import { RequestError } from '../../../shared/request-error.js'

export interface HealthLimits {
  /** The time limit of an engine's health check, in seconds. Default 5. */
  readonly healthSeconds?: number
}

/**
 * Creates a health check of an engine with a time limit: a caller must not hang with the engine.
 *
 * @returns a function that throws the engine's error; RequestError with status 503 if it takes too long
 */
export function createHealthCheck({ healthSeconds = 5 }: HealthLimits = {}): (engine: TokenEngine) => Promise<void> {
  return async (engine) => {
    const asking = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => {
          // Reject before aborting, so that the timeout is reported rather than the engine's abort error.
          reject(tooLate(healthSeconds))
          asking.abort()
        },
        Math.min(healthSeconds * 1000, MAX_TIMER_MS),
      )
    })
    try {
      await Promise.race([engine.health({ signal: asking.signal }), late])
    } finally {
      clearTimeout(timer)
    }
  }
}

/** In milliseconds. Node fires a longer timer at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

function tooLate(seconds: number): RequestError {
  const message = `The engine did not answer within ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`
  return new RequestError(message, { status: 503, code: 'server_is_overloaded' })
}
