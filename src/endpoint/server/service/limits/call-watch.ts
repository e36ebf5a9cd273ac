import { deferred } from '../../../flow/deferred.js'
import { retryAfterOf } from '../../../respond/opening/unavailable.js'
import type { Deadlines } from './deadlines.js'

export interface StatusLimits {
  /**
   * How long the status of an answer waits until the engine has taken the first call of the model, in seconds: a refusal
   * is then a status that clients know how to retry. A call that is refused is made again only within this time. Default
   * 1; 0 sends the status of a stream at once.
   */
  readonly statusSeconds?: number
}

/** What an engine did with the calls for one response, as far as it decides the status of the answer. */
export interface CallWatch {
  /** How long the engine asked to wait when the last call failed, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** Resolves when the engine has taken the first call, at the latest after `statusSeconds`. Never rejects. */
  firstTaken(): Promise<void>
  /** A call begins. Returns the option that keeps its attempts within the time. */
  begin(): { readonly retryWithinMs?: number }
  /** The engine gave a step of a call: it has taken it. */
  readonly taken: () => void
  readonly failed: (error: unknown) => void
}

export function watchCalls({ statusSeconds = 1 }: StatusLimits, deadlines: Deadlines): CallWatch {
  const first = deferred<void>()
  let isFirst = true
  let retryAfterMs: number | undefined
  const taken = (): void => first.resolve()
  return {
    get retryAfterMs() {
      return retryAfterMs
    },
    async firstTaken() {
      if (statusSeconds > 0) await deadlines.within(statusSeconds, first.promise, () => undefined).catch(() => {})
    },
    begin() {
      const isBounded = isFirst && statusSeconds > 0
      isFirst = false
      return isBounded ? { retryWithinMs: Math.ceil(statusSeconds * 1000) } : {}
    },
    taken,
    failed(error) {
      retryAfterMs = retryAfterOf(error)
    },
  }
}
