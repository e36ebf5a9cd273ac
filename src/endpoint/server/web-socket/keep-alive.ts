import type { Peer } from './peer.js'

/** Detects whether a silent client is still there. */
export interface KeepAlive {
  /** Notes a sign of life. */
  heard(): void
  stop(): void
}

/** The maximum number of unanswered pings in a row: a client may be behind with its reading. */
const MOST_UNANSWERED = 2

/** @param ms - between two pings; 0 sends none */
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
