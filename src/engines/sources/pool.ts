/** Lends each item to one borrower at a time. If none is free, borrowers wait: first come, first served. */
export interface Pool<T> {
  /**
   * Borrows the best free item; among equals, the one that has been free for longest.
   *
   * @param suits - rates an item; higher is better
   * @param signal - leaves the queue; the promise rejects with its reason
   */
  take(suits: (item: T) => number, signal: AbortSignal): Promise<T>
  /** Returns an item. */
  give(item: T): void
  /** Rejects all waiting and future borrowers with this error. */
  close(error: Error): void
}

/** Returns a function that finds the pool whose only item is a resource: one user of it at a time, among all engines. */
export function createTurns<Resource extends object>(): (resource: Resource) => Pool<Resource> {
  const known = new WeakMap<Resource, Pool<Resource>>()
  return (resource) => {
    const turns = known.get(resource) ?? createPool([resource])
    known.set(resource, turns)
    return turns
  }
}

export function createPool<T>(items: Iterable<T>): Pool<T> {
  /** In the order in which they became free. */
  const free = [...items]
  const waiting = new Set<{ serve(item: T): void; refuse(reason: unknown): void }>()
  let closed: Error | undefined

  return {
    async take(suits, signal) {
      if (closed) throw closed
      signal.throwIfAborted()
      const best = indexOfBest(free, suits)
      if (best !== undefined) return free.splice(best, 1)[0] as T
      return new Promise<T>((resolve, reject) => {
        const leave = (): void => {
          waiting.delete(waiter)
          signal.removeEventListener('abort', abort)
        }
        const abort = (): void => waiter.refuse(signal.reason)
        const waiter = {
          serve(item: T): void {
            leave()
            resolve(item)
          },
          refuse(reason: unknown): void {
            leave()
            reject(reason)
          },
        }
        signal.addEventListener('abort', abort)
        waiting.add(waiter)
      })
    },
    give(item) {
      const [first] = waiting
      if (first) first.serve(item)
      else free.push(item)
    },
    close(error) {
      closed = error
      for (const waiter of waiting) waiter.refuse(error)
    },
  }
}

function indexOfBest<T>(items: readonly T[], suits: (item: T) => number): number | undefined {
  if (items.length === 0) return undefined
  const scores = items.map(suits)
  return scores.indexOf(scores.reduce((best, score) => Math.max(best, score)))
}
