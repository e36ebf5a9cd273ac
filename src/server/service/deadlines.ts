/** Limits how long something is waited for. One timer serves all that wait: a timer for each token would cost more. */
export interface Deadlines {
  /**
   * Settles as the promise does, or rejects with what `late` returns once so many seconds have passed: up to a quarter
   * of a second later, and not by time in which the process was busy or asleep.
   *
   * @param late - called once, only where the promise did not settle in time; what it settles to then is ignored
   */
  within<T>(seconds: number, promise: PromiseLike<T>, late: () => unknown): Promise<T>
}

const TICK_MS = 250

interface Wait {
  readonly until: number
  readonly expire: () => void
}

export function createDeadlines(): Deadlines {
  const waits = new Set<Wait>()
  let timer: ReturnType<typeof setInterval> | undefined
  let ticks = 0

  function tick(): void {
    ticks += 1
    for (const wait of waits) if (wait.until <= ticks) wait.expire()
    if (waits.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    within: (seconds, promise, late) =>
      new Promise((resolve, reject) => {
        const wait: Wait = {
          // The tick that is under way may be nearly over.
          until: ticks + 1 + Math.ceil((seconds * 1000) / TICK_MS),
          expire() {
            waits.delete(wait)
            reject(late())
          },
        }
        waits.add(wait)
        timer ??= setInterval(tick, TICK_MS)
        promise.then(
          (value) => {
            waits.delete(wait)
            resolve(value)
          },
          (error: unknown) => {
            waits.delete(wait)
            reject(error)
          },
        )
      }),
  }
}
