const FIRST_MS = 1_000
const MAX_MS = 64_000

/** Decides when the streams of one HTTP transport are opened again after the server closed them. */
export interface Reconnections {
  /** As the SDK calls it: `delay` is the server's own, which may be none, or more than a timer can count. */
  schedule(reconnect: () => void, delay: number): () => void
  /** The server answered a request. */
  answered(): void
}

/**
 * Reopens streams after a second at the soonest, and twice as late for each further time without an answer in between:
 * a server may close each stream at once, and the SDK would reopen it hundreds of times a second, for ever. While a
 * request waits, only the second counts: its time is limited, and the stream may be the one that brings its answer.
 *
 * @param isWaiting - whether a request waits for its answer
 */
export function reconnections(isWaiting: () => boolean): Reconnections {
  let next = FIRST_MS
  return {
    schedule(reconnect, delay) {
      const isBounded = isWaiting()
      const floor = isBounded ? FIRST_MS : next
      const timer = setTimeout(reconnect, Math.min(Math.max(delay, floor), MAX_MS))
      if (!isBounded) next = Math.min(next * 2, MAX_MS)
      // A process that has nothing else to do may end.
      timer.unref?.()
      return () => clearTimeout(timer)
    },
    answered() {
      next = FIRST_MS
    },
  }
}
