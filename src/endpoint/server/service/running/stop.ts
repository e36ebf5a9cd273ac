/**
 * Tells its subscribers to stop: all running responses, or all readers of one. Node would warn of so many listeners on
 * an AbortSignal.
 */
export interface Stop {
  /** Calls back when all have to stop, at once if that has happened. Returns a function that unsubscribes. */
  onStop(cancel: () => void): () => void
  stop(): void
}

export function createStop(): Stop {
  const cancels = new Set<() => void>()
  let isStopped = false
  return {
    onStop(cancel) {
      if (isStopped) cancel()
      cancels.add(cancel)
      return () => void cancels.delete(cancel)
    },
    stop() {
      isStopped = true
      for (const cancel of cancels) cancel()
    },
  }
}
