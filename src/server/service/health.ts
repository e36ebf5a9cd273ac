import type { TokenEngine } from '../../engine/index.js'
import { RequestError } from '../../request-error.js'

export interface HealthLimits {
  /** How long the engine may take to say whether it is well, in seconds. Default 5. */
  readonly healthSeconds?: number
}

/**
 * A check of an engine's health that ends in time: who asks must not hang with an engine that does.
 *
 * @returns a function that throws what the engine throws; RequestError with status 503 if it takes too long
 */
export function createHealthCheck({ healthSeconds = 5 }: HealthLimits = {}): (engine: TokenEngine) => Promise<void> {
  return async (engine) => {
    const asking = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => {
          // First, or an engine that heeds its signal would be heard with its own error.
          reject(tooLate(healthSeconds))
          asking.abort()
        },
        Math.min(healthSeconds * 1000, LONGEST_TIMER),
      )
    })
    try {
      await Promise.race([engine.health({ signal: asking.signal }), late])
    } finally {
      clearTimeout(timer)
    }
  }
}

/** In milliseconds. A longer timer fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1

function tooLate(seconds: number): RequestError {
  const message = `The engine did not answer within ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`
  return new RequestError(message, { status: 503, code: 'server_is_overloaded' })
}
