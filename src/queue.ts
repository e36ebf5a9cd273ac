/** Takes a value. If it returns a promise, that is awaited before the next value is made. */
export type Write<T> = (value: T) => void | PromiseLike<void>

/** The values of a writer at its reader's pace: an async generator whose writer can also push into a sink. */
export interface Queue<T, Result> extends AsyncGenerator<T, Result> {
  /**
   * Passes all remaining values to `write`, each in the step that makes it: `next()` costs every value some promises,
   * and with a thousand concurrent streams each of them misses the cache.
   *
   * @returns the writer's result
   * @throws the error of the writer, or of `write`, which closes the queue
   */
  drainTo(write: Write<T>): Promise<Result>
  /** Starts the writer before its reader asks. */
  begin(): void
  /**
   * Lets the writer run to its end without waiting for a reader, who may have stopped reading. Only for a short rest.
   */
  finish(): void
}

type Step<T, Result> = IteratorResult<T, Result>

type Ending<Result> = { readonly result: Result | undefined } | { readonly error: unknown }

interface Waiting<T, Result> {
  readonly resolve: (step: Step<T, Result>) => void
  readonly reject: (error: unknown) => void
}

/**
 * Connects a writer to one reader. The writer begins when the reader first asks, and continues when it asks again.
 *
 * @param run - writes the values, and returns the result. It awaits what `write` returns, which never rejects
 * @param close - called as soon as the reader leaves before the end, even while the writer is waiting. Later values are
 * dropped, and `return()` resolves when the writer has ended
 * @param options - `runsAnyway`: the writer runs even if the reader leaves before asking. Default: it then never begins
 */
export function queue<T, Result>(
  run: (write: Write<T>) => Promise<Result>,
  close: () => void | Promise<void>,
  { runsAnyway = false }: { readonly runsAnyway?: boolean } = {},
): Queue<T, Result | undefined> {
  type AnyStep = Step<T, Result | undefined>
  /** Values that were written but not taken. */
  const values: T[] = []
  const waiting: Waiting<T, Result | undefined>[] = []
  let hasBegun = false
  let running: Promise<void> | undefined
  let end: Ending<Result> | undefined
  let isLeft = false
  let isHurried = false
  let sink: Write<T> | undefined
  let isSinkBusy = false
  /** Resumes the writer. */
  let open = (): void => {}

  const write = (value: T): Promise<void> | undefined => {
    if (isLeft) return undefined
    // Only the sink is waiting, so there is nothing else to deliver.
    if (sink !== undefined && !isSinkBusy) give(sink, value)
    else {
      values.push(value)
      deliver()
    }
    if (isWanted()) return undefined
    return new Promise((resolve) => {
      open = resolve
    })
  }

  /** Whether the writer may make another value. */
  function isWanted(): boolean {
    return isHurried || isLeft || (sink === undefined ? waiting.length > 0 : !isSinkBusy)
  }

  function give(to: Write<T>, value: T): void {
    try {
      const taken = to(value)
      if (taken === undefined) return
      isSinkBusy = true
      taken.then(() => {
        isSinkBusy = false
        open()
        deliver()
      }, failSink)
    } catch (error) {
      failSink(error)
    }
  }

  /** Handles the failure of a sink: rejects the waiting calls, and closes the writer. */
  function failSink(error: unknown): void {
    for (const { reject } of waiting.splice(0)) reject(error)
    leave().catch(() => {})
  }

  /** Delivers the available values to the waiting reader. */
  function deliver(): void {
    while (values.length > 0 && sink !== undefined && !isSinkBusy) give(sink, values.shift() as T)
    if (sink === undefined) {
      while (values.length > 0 && waiting.length > 0) {
        waiting.shift()?.resolve({ done: false, value: values.shift() as T })
      }
    }
    if (end === undefined || (!isLeft && (values.length > 0 || isSinkBusy))) return
    for (const { resolve, reject } of waiting.splice(0)) {
      if ('error' in end) reject(end.error)
      else resolve({ done: true, value: end.result })
      end = OVER
    }
  }

  function start(): void {
    if (hasBegun || end !== undefined) return
    // Set before it runs: its first value may make the reader leave.
    hasBegun = true
    running = run(write).then(
      (result) => endWith({ result }),
      (error: unknown) => endWith({ error }),
    )
  }

  function endWith(ending: Ending<Result>): void {
    end = ending
    deliver()
    if (isLeft) end = OVER
  }

  function ask(): Promise<AnyStep> {
    return new Promise((resolve, reject) => {
      waiting.push({ resolve, reject })
      start()
      deliver()
      // A value that was ready may be all that is wanted now.
      if (isWanted()) open()
    })
  }

  async function leave(): Promise<void> {
    if (end !== undefined || isLeft) return await running
    isLeft = true
    values.length = 0
    if (!hasBegun && !runsAnyway) end = OVER
    const closed = close()
    start()
    open()
    await Promise.all([running, closed])
  }

  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next: () => ask(),
    async return(value?: Result | PromiseLike<Result>) {
      await leave()
      return { done: true, value: await value }
    },
    async throw(error: unknown) {
      await leave()
      throw error
    },
    async drainTo(given: Write<T>) {
      sink = given
      const { value } = await ask()
      return value as Result | undefined
    },
    begin: start,
    finish() {
      isHurried = true
      start()
      open()
    },
    // Newer types also require a disposal method, which is not used here.
  } as Partial<Queue<T, Result | undefined>> as Queue<T, Result | undefined>
}

const OVER = { result: undefined }
