/** Those who wait for entries that any process appends. */
export interface Followers {
  /** The responses that are waited for. */
  ids(): readonly string[]
  /** Ends the waiting for entries of some responses; of all, if none is named. */
  wake(responseIds?: Iterable<string>): void
  /**
   * Resolves when entries of a response may be there.
   *
   * @param leaving - receives a function that ends the waiting
   */
  wait(responseId: string, leaving: (leave: () => void) => void): Promise<void>
}

/** @param watch - called when the first one begins to wait, and when the last one has ended */
export function createFollowers(watch: (isOn: boolean) => void): Followers {
  const waiting = new Map<string, Set<() => void>>()
  return {
    ids: () => [...waiting.keys()],
    wake(responseIds = waiting.keys()) {
      for (const id of [...responseIds]) for (const resolve of [...(waiting.get(id) ?? [])]) resolve()
    },
    wait(responseId, leaving) {
      return new Promise((resolve) => {
        const ofResponse = waiting.get(responseId) ?? new Set()
        const done = (): void => {
          if (!ofResponse.delete(done)) return
          if (ofResponse.size === 0) waiting.delete(responseId)
          if (waiting.size === 0) watch(false)
          resolve()
        }
        if (waiting.size === 0) watch(true)
        waiting.set(responseId, ofResponse)
        ofResponse.add(done)
        leaving(done)
      })
    },
  }
}
