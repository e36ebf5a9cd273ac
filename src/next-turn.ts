/** Who waits for a turn, the first of them first. */
const waiting: (() => void)[] = []

/**
 * Waits for a later turn of the event loop, so that what came meanwhile is done first. Those who wait take turns, one
 * in each: however many they are, other work waits for one slice of theirs at most.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) later(takeTurn)
  })
}

function takeTurn(): void {
  const resolve = waiting.shift()
  if (waiting.length > 0) later(takeTurn)
  resolve?.()
}

/** A promise that is resolved already would go before all that the system has to report. */
const later: (work: () => void) => void =
  typeof setImmediate === 'function' ? (work) => void setImmediate(work) : (work) => void setTimeout(work, 0)
