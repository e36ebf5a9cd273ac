/** A signal that aborts with another one, or at a time limit. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Whether the time limit aborted it, not the other signal. */
  isOver(): boolean
  /** Has to be called at the end: the timer would keep the process alive. */
  clear(): void
}

export function deadline(ms: number, signal?: AbortSignal): Deadline {
  const controller = new AbortController()
  let isOver = false
  const abort = (): void => controller.abort(signal?.reason)
  const timer = setTimeout(() => {
    isOver = !controller.signal.aborted
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
  }, ms)
  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort)
  return {
    signal: controller.signal,
    isOver: () => isOver,
    clear() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    },
  }
}

/** Settles as the promise does, or rejects with the signal's reason as soon as it aborts. */
export function whileWanted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason)
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp)
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}

/**
 * Does work within a time, though it may ignore its signal.
 *
 * @param late - creates the error of work that takes longer
 * @throws the signal's reason as soon as it aborts
 */
export async function withinTime<T>(
  seconds: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
  late: () => Error,
): Promise<T> {
  const limit = deadline(seconds * 1000, signal)
  try {
    return await whileWanted(work(limit.signal), limit.signal)
  } catch (error) {
    throw limit.isOver() ? late() : error
  } finally {
    limit.clear()
  }
}
