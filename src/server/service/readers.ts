/** What becomes of a response whose reader leaves: it stops, it goes on, or it goes on for a while. */
export type OnDisconnect = 'stop' | 'finish' | { readonly graceMs: number }

/** The readers of a response: how long it goes on when the last one has left. */
export interface Readers {
  /** One more reader. Call what it returns, once, when the reader leaves. */
  join(): () => void
}

/**
 * @param graceMs - how long the response goes on without a reader, 0 if not at all; undefined if it goes on to its end
 * @param ended - resolves when the response is over, or another process makes it
 */
export function createReaders(graceMs: number | undefined, cancel: () => void, ended: Promise<unknown>): Readers {
  let count = 0
  let isOver = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const stopWaiting = (): void => clearTimeout(timer)
  ended.then(() => {
    isOver = true
    stopWaiting()
  })
  return {
    join() {
      count += 1
      stopWaiting()
      return () => {
        count -= 1
        if (count > 0 || graceMs === undefined || isOver) return
        if (graceMs === 0) cancel()
        else timer = setTimeout(cancel, graceMs)
      }
    },
  }
}

/** Returns how long a response goes on without a reader, in milliseconds; undefined if to its end. */
export function graceOf(onDisconnect: OnDisconnect): number | undefined {
  if (typeof onDisconnect === 'object') return onDisconnect.graceMs
  return onDisconnect === 'stop' ? 0 : undefined
}
