/** Takes a value. A promise that it returns is awaited before the next value is made. */
export type Write<T> = (value: T) => void | PromiseLike<void>

/** What a writer makes, at its reader's pace: an async generator that can also write to its reader. */
export interface Queue<T, Result> extends AsyncGenerator<T, Result> {
  /**
   * Gives all values that are left to `write`, each in the very step in which it is made: `next()` costs every value some
   * promises, and with a thousand streams side by side each of them finds its memory out of the cache.
   *
   * @returns what the writer returns
   * @throws what the writer throws, or `write`, which closes the queue
   */
  drainTo(write: Write<T>): Promise<Result>
  /** Starts the writer before its reader asks. */
  begin(): void
  /** Makes the rest without waiting for the reader, who may have stopped reading: call it if the rest is short. */
  finish(): void
}

type Step<T, Result> = IteratorResult<T, Result>

type Ending<Result> = { readonly result: Result | undefined } | { readonly error: unknown }

interface Waiting<T, Result> {
  readonly resolve: (step: Step<T, Result>) => void
  readonly reject: (error: unknown) => void
}

/**
 * Connects a writer with one reader. The writer begins when the reader first asks, and goes on when it asks again.
 *
 * @param run - writes the values, and returns the result. It awaits what `write` returns, which never rejects
 * @param close - called when the reader leaves before the end, at once, also if the writer is waiting for something.
 *   What is still written then is dropped, and `return()` resolves when the writer has ended
 * @param options - `runsAnyway`: the writer does its work even if the reader leaves before it asks. Default: it never
 *   begins then
 */
export function queue<T, Result>(
  run: (write: Write<T>) => Promise<Result>,
  close: () => void | Promise<void>,
  { runsAnyway = false }: { readonly runsAnyway?: boolean } = {},
): Queue<T, Result | undefined> {
  type AnyStep = Step<T, Result | undefined>
  /** Written, and not taken. */
  const values: T[] = []
  const waiting: Waiting<T, Result | undefined>[] = []
  let hasBegun = false
  let running: Promise<void> | undefined
  let end: Ending<Result> | undefined
  let isLeft = false
  let isHurried = false
  let sink: Write<T> | undefined
  let isSinkBusy = false
  /** Lets the writer go on. */
  let open = (): void => {}

  const write = (value: T): Promise<void> | undefined => {
    if (isLeft) return undefined
    // Nothing else waits for such a sink, so there is nothing to deliver.
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

  /** The reader has failed: reject what waits, and close the writer. */
  function failSink(error: unknown): void {
    for (const { reject } of waiting.splice(0)) reject(error)
    leave().catch(() => {})
  }

  /** Gives the reader what it waits for, as far as it is there. */
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
    // Before it runs: its first value may make the reader leave.
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
      // A value that was there may be all that is wanted now.
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
    // Newer types also require a way to dispose it, which is not used here.
  } as Partial<Queue<T, Result | undefined>> as Queue<T, Result | undefined>
}

const OVER = { result: undefined }
