import { ServerBusy } from './failure.js'

/** Lets so many calls of one server run at once. The others wait, in their order. */
export interface CallSlots {
  /**
   * Resolves with what gives the slot back, which has to be called once.
   *
   * @throws ServerBusy if too many wait already; the signal's reason
   */
  enter(signal: AbortSignal): Promise<() => void>
}

export function createCallSlots({
  concurrency,
  queue,
}: {
  readonly concurrency: number
  readonly queue: number
}): CallSlots {
  let running = 0
  /** In the order in which they came: a set keeps it, and lets go of one that leaves without a search. */
  const waiting = new Set<() => void>()

  function leave(): void {
    const [next] = waiting
    // The slot goes from one call to the next, so that no later call takes it in between.
    if (next === undefined) running -= 1
    else next()
  }

  return {
    async enter(signal) {
      signal.throwIfAborted()
      if (running < concurrency) {
        running += 1
        return leave
      }
      if (waiting.size >= queue) throw new ServerBusy(concurrency, queue)
      return new Promise((resolve, reject) => {
        const done = (): void => {
          waiting.delete(start)
          signal.removeEventListener('abort', giveUp)
        }
        const start = (): void => {
          done()
          resolve(leave)
        }
        const giveUp = (): void => {
          done()
          reject(signal.reason)
        }
        waiting.add(start)
        signal.addEventListener('abort', giveUp)
      })
    },
  }
}
