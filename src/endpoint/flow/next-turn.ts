/** The waiters, in order of arrival. */
const waiting: (() => void)[] = []

/**
 * Waits for a later turn of the event loop, so that work that arrived meanwhile runs first. One waiter resumes in each
 * turn: however many wait, other work waits for one of their slices at most.
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

/** Does work in the next turn. Not by a resolved promise, which would run before all pending I/O. */
export const later: (work: () => void) => void =
  typeof setImmediate === 'function' ? (work) => void setImmediate(work) : (work) => void setTimeout(work, 0)
