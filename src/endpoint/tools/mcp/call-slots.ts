import { ServerBusy } from './failure.js'

/** Limits the concurrent calls of one server. Further calls wait, in order. */
export interface CallSlots {
  /**
   * Resolves with a function that frees the slot, which has to be called once.
   *
   * @throws ServerBusy if too many calls already wait; the signal's reason
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
  /** In order of arrival: a set keeps it, and can remove an entry without a search. */
  const waiting = new Set<() => void>()

  function leave(): void {
    const [next] = waiting
    // The slot passes directly to the next call, so that no later call can take it in between.
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
