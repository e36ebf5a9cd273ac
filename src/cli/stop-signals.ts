/**
 * Signals this close are one: Ctrl-C reaches every process of a terminal, and npm and npx pass it on to their child besides.
 */
const ECHO_MS = 200

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

export interface StopSignals {
  /** How many there were. */
  readonly count: number
  /** Stops listening, once no echo of the last signal can follow: it would end the process. */
  end(): void
}

/** Calls back for each SIGINT and SIGTERM that this process gets. */
export function listenForStopSignals(listener: () => void): StopSignals {
  let count = 0
  let last = Number.NEGATIVE_INFINITY
  const stop = (): void => {
    const now = performance.now()
    if (now - last < ECHO_MS) return
    last = now
    count += 1
    listener()
  }
  const leave = (): void => {
    for (const signal of SIGNALS) process.off(signal, stop)
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  return {
    get count() {
      return count
    },
    end() {
      const rest = last + ECHO_MS - performance.now()
      if (rest > 0) setTimeout(leave, rest)
      else leave()
    },
  }
}
