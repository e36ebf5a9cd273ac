import { tooMany } from './admission.js'

/** Lets a number pass in one turn of the event loop. Those that come then wait for later turns, in their order. */
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
export const MOST_WAITING = 4_096

/**
 * Small pieces of work stall all others if a thousand of them arrive at once: a turn of the event loop takes up all
 * that the system has to report.
 *
 * @param most - how many pass in a turn
 * @param later - runs what it is given in the next turn
 * @param mostWaiting - the maximum number that wait. Default: no limit, for work that is limited elsewhere
 */
export function createTurnstile(
  most: number,
  later: (work: () => void) => void,
  mostWaiting: number = Number.POSITIVE_INFINITY,
): Turnstile {
  const waiting = new Set<() => void>()
  /** In this turn. */
  let passed = 0

  function turn(): void {
    passed = 0
    for (const enter of waiting) {
      if (passed === most) break
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
      if (waiting.size === 0 && passed < most) {
        if (passed === 0) later(turn)
        passed += 1
        return undefined
      }
      if (waiting.size >= mostWaiting) throw tooMany()
      const signal = work?.signal
      signal?.throwIfAborted()
      return wait(signal)
    },
  }
}
