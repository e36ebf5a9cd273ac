/** Running work, and its waiting callers. */
interface Running<Result> {
  readonly controller: AbortController
  readonly result: Promise<Result>
  waiting: number
}

/**
 * Shares work among its callers: the first one begins it, it is aborted when the last one leaves, and after its end the
 * next caller begins it again. A caller that leaves does not affect the others.
 *
 * @param work - called with a signal of its own
 * @returns waits for the work. Rejects as the work does, or with the reason of the caller's signal
 */
export function sharedWork<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
): (signal: AbortSignal) => Promise<Result> {
  let running: Running<Result> | undefined

  function begin(): Running<Result> {
    const controller = new AbortController()
    const begun = { controller, result: work(controller.signal), waiting: 0 }
    const forget = (): void => {
      if (running === begun) running = undefined
    }
    begun.result.then(forget, forget)
    return begun
  }

  function leave(left: Running<Result>): void {
    left.waiting--
    if (left.waiting > 0) return
    if (running === left) running = undefined
    left.controller.abort()
  }

  return async (signal) => {
    signal.throwIfAborted()
    running ??= begin()
    const joined = running
    joined.waiting++
    try {
      return await orAborted(joined.result, signal)
    } finally {
      leave(joined)
    }
  }
}

/** Does not wait any longer than the signal allows. */
function orAborted<Result>(result: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    signal.addEventListener('abort', abort)
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
