/** Resolves once the tab is seen, or the signal aborts. */
export function untilVisible(signal: AbortSignal): Promise<void> {
  if (!document.hidden || signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = (): void => {
      if (document.hidden && !signal.aborted) return
      document.removeEventListener('visibilitychange', done)
      resolve()
    }
    document.addEventListener('visibilitychange', done)
    signal.addEventListener('abort', done, { once: true })
  })
}
