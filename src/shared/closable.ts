/** Waits for one promise at a time, until it is interrupted. */
export interface Waiter {
  /** Settles as the promise does, or resolves to undefined when it is interrupted. */
  wait<T>(promise: T | PromiseLike<T>): Promise<T | undefined>
  /** Resolves the pending wait and all later ones. */
  interrupt(): void
}

/**
 * Creates a waiter for the body of a {@link closable} generator: its `close` interrupts whatever the body is waiting
 * for.
 */
export function createWaiter(): Waiter {
  let isInterrupted = false
  let resolveWait = (): void => {}
  return {
    // Not `Promise.race` with one promise for all waits, which would retain every value until the end.
    wait: (promise) =>
      new Promise((resolve, reject) => {
        resolveWait = () => resolve(undefined)
        if (isInterrupted) resolveWait()
        Promise.resolve(promise).then(resolve, reject)
      }),
    interrupt() {
      isInterrupted = true
      resolveWait()
    },
  }
}

/**
 * Wraps an async generator so that `return()` and `throw()` call `close` at once. A plain one runs its `finally` only
 * after the pending promise has settled: an engine would keep running without a reader, and one that hangs would never
 * stop.
 *
 * @param generator - has to end soon after `close` is called, so it waits for promises with a {@link Waiter}
 * @param close - may be called again, and after the end; `return()` and `throw()` wait for the promise that it returns
 */
export function closable<T, Result>(
  generator: AsyncGenerator<T, Result>,
  close: () => void | Promise<void>,
): AsyncGenerator<T, Result> & { return(value?: Result | PromiseLike<Result>): Promise<IteratorResult<T, Result>> } {
  const { return: finish, throw: fail } = generator
  async function after(answer: () => Promise<IteratorResult<T, Result>>): Promise<IteratorResult<T, Result>> {
    const closed = close()
    const [step] = await Promise.all([answer(), closed])
    return step
  }
  return Object.assign(generator, {
    return: (value?: Result | PromiseLike<Result>) => after(() => finish.call(generator, value as Result)),
    throw: (error: unknown) => after(() => fail.call(generator, error)),
  })
}
