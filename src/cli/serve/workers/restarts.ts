/** The limits of starting workers again. Times are in milliseconds. */
export const RESTARTS = {
  /** The wait after a worker that ran well; twice as long after each that ended soon. */
  firstMs: 250,
  longestMs: 30_000,
  /** How long a worker that ran well ran at least. */
  steadyMs: 60_000,
  /** How many are started again within a minute, of all together. */
  aMinute: 20,
} as const

const MINUTE_MS = 60_000

/** Says when workers start again. */
export interface Restarts {
  /**
   * Returns how long to wait before a worker starts again, in milliseconds.
   *
   * @param number - its place among the workers
   * @param ranMs - how long it ran
   */
  waitMs(number: number, ranMs: number): number
}

/** @param now - a clock in milliseconds that nobody sets */
export function createRestarts(now: () => number): Restarts {
  /** The last wait of each worker. */
  const waits = new Map<number, number>()
  /** The times of the last starts, {@link RESTARTS.aMinute} at most, the earliest first. */
  const starts: number[] = []
  return {
    waitMs(number, ranMs) {
      const last = ranMs < RESTARTS.steadyMs ? waits.get(number) : undefined
      const wait = last === undefined ? RESTARTS.firstMs : Math.min(last * 2, RESTARTS.longestMs)
      waits.set(number, wait)
      const earliest = starts.length < RESTARTS.aMinute ? 0 : (starts.shift() as number) + MINUTE_MS
      const start = Math.max(now() + wait, earliest)
      starts.push(start)
      starts.sort((one, other) => one - other)
      return start - now()
    },
  }
}
