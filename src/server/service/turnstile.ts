/** Lets so many pass in one turn of the event loop. Those that come then wait for later turns, in their order. */
export interface Turnstile {
  /** Undefined where one may pass at once. */
  pass(): Promise<void> | undefined
}

/**
 * Small pieces of work stall all others if a thousand of them arrive at once: a turn of the event loop takes up all
 * that the system has to report.
 *
 * @param most - how many pass in a turn
 * @param later - runs what it is given in the next turn
 */
export function createTurnstile(most: number, later: (work: () => void) => void): Turnstile {
  const waiting: (() => void)[] = []
  /** In this turn. */
  let passed = 0

  function turn(): void {
    const next = waiting.splice(0, most)
    passed = next.length
    if (passed > 0) later(turn)
    for (const resolve of next) resolve()
  }

  return {
    pass() {
      if (waiting.length > 0 || passed >= most) return new Promise((resolve) => waiting.push(resolve))
      if (passed === 0) later(turn)
      passed += 1
      return undefined
    },
  }
}
