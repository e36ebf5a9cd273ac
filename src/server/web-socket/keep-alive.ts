import type { Peer } from './peer.js'

/** Finds out whether a client that says nothing is still there. */
export interface KeepAlive {
  /** The client has said something. */
  heard(): void
  stop(): void
}

/** How many questions in a row may stay without an answer: a client may be behind with its reading. */
const MOST_UNANSWERED = 2

/** @param ms - between two questions; 0 asks none */
export function keepAlive({ ping, onPong, terminate }: Peer, ms: number): KeepAlive {
  let unanswered = 0
  const heard = (): void => {
    unanswered = 0
  }
  if (ping === undefined || ms === 0) return { heard, stop() {} }
  onPong?.(heard)
  const timer = setInterval(() => {
    if (unanswered === MOST_UNANSWERED) return terminate()
    unanswered += 1
    ping()
  }, ms)
  timer.unref?.()
  return { heard, stop: () => clearInterval(timer) }
}
