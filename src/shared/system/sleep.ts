/** Resolves after a delay, or as soon as the signal aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const wake = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', wake)
      resolve()
    }
    const timer = setTimeout(wake, ms)
    signal?.addEventListener('abort', wake)
  })
}

/** Returns the result of work that takes no longer than this, or else undefined. The process need not wait for the rest. */
export async function within<Result>(ms: number, work: Promise<Result>): Promise<Result | undefined> {
  const over = new AbortController()
  try {
    return await Promise.race([work, sleep(ms, over.signal).then(() => undefined)])
  } finally {
    over.abort()
  }
}
