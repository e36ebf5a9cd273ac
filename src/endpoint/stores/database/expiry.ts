/** A moment, in seconds. */
export interface Moment {
  /** By the store's clock, for ages. */
  readonly now: number
  /** By a clock that nobody sets. */
  readonly steady: number
}

/** Says what has expired, if two looks at the clock some time apart agree: a clock that is ahead for a moment evicts nothing. */
export interface Expiry {
  /** Whether it is time for another look at the clock. */
  isDue(steady: number): boolean
  /** Looks at the clock, which may have been set since the last look: of both times, the earlier one counts. */
  look(time: Moment): void
  /** What was last used before has expired. Undefined: nothing is left that has. */
  readonly before: number | undefined
  /** Everything that has expired is evicted. */
  end(): void
}

/** The interval of looking at the clock for expired data, in seconds. */
const LOOK_SECONDS = 60
/** The most conversations that one request evicts by their age: it waits for that. */
export const MAX_EXPIRED = 16

/** @param seconds - how long a conversation is kept after its last use */
export function createExpiry(seconds: number): Expiry {
  let latest: Moment | undefined
  let before: number | undefined

  function isDue(steady: number): boolean {
    return latest === undefined || steady - latest.steady >= Math.min(LOOK_SECONDS, seconds / 10)
  }

  return {
    isDue,
    look(time) {
      if (!isDue(time.steady)) return
      if (latest !== undefined) before = Math.min(time.now, latest.now + time.steady - latest.steady) - seconds
      latest = time
    },
    get before() {
      return before
    },
    end() {
      before = undefined
    },
  }
}

/** How old the last use of a conversation may be before it is written: one in constant use need not be written to constantly. */
export function renewAfter(seconds: number): number {
  return Math.min(60, seconds / 10)
}
