import { tooMany } from './admission.js'

/** Limits how many pieces of work begin in one turn of the event loop. Further ones wait for later turns, in order. */
export interface Turnstile {
  /**
   * Returns undefined if the work may begin at once. Work that waits loses its place when its signal aborts.
   *
   * @param work - its signal is read only if it waits: a runtime may make the signal when it is read
   * @throws RequestError with status 429 if too many wait; the signal's reason
   */
  pass(work?: { readonly signal?: AbortSignal | undefined }): Promise<void> | undefined
}

/** The maximum number of waiting requests: each holds its headers, and a turn of the event loop takes some milliseconds. */
export const MAX_WAITING = 4_096

/**
 * Spreads work over turns: the event loop handles all pending events of the system in one turn, so that a thousand
 * small pieces of work arriving together would stall everything else.
 *
 * @param max - how many pieces of work begin in a turn
 * @param later - runs the work in the next turn
 * @param maxWaiting - the maximum number of waiting pieces. Default: no limit, for work that is limited elsewhere
 */
export function createTurnstile(
  max: number,
  later: (work: () => void) => void,
  maxWaiting: number = Number.POSITIVE_INFINITY,
): Turnstile {
  const waiting = new Set<() => void>()
  /** How many pieces have begun in this turn. */
  let passed = 0

  function turn(): void {
    passed = 0
    for (const enter of waiting) {
      if (passed === max) break
      passed += 1
      waiting.delete(enter)
      enter()
    }
    if (passed > 0) later(turn)
  }

  function wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting.delete(enter)
        reject(signal?.reason)
      }
      const enter = (): void => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      signal?.addEventListener('abort', leave)
      waiting.add(enter)
    })
  }

  return {
    pass(work) {
      if (waiting.size === 0 && passed < max) {
        if (passed === 0) later(turn)
        passed += 1
        return undefined
      }
      if (waiting.size >= maxWaiting) throw tooMany()
      const signal = work?.signal
      signal?.throwIfAborted()
      return wait(signal)
    },
  }
}
