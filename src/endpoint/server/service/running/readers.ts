/** How to treat a response whose reader leaves: it stops, continues, or continues for a while. */
export type OnDisconnect =
  | 'stop'
  | 'finish'
  /** Continues for this long, in milliseconds, for a reader to come back. */
  | { readonly graceMs: number }

/** The readers of a response, which determine how long it continues after the last one has left. */
export interface Readers {
  /** Adds a reader. The returned function has to be called once, when the reader leaves. */
  join(): () => void
}

/**
 * @param graceMs - how long the response continues without a reader: 0 for not at all, undefined for to its end
 * @param ended - resolves when the response has ended, or another process runs it
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

/** Returns how long a response continues without a reader, in milliseconds; undefined if until it ends. */
export function graceOf(onDisconnect: OnDisconnect): number | undefined {
  if (typeof onDisconnect === 'object') return onDisconnect.graceMs
  return onDisconnect === 'stop' ? 0 : undefined
}
