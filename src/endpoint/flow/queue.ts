/** Takes a value. If it returns a promise, that is awaited before the next value is made. @inline */
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
   * Lets the writer run to its end without waiting for a reader, which may have stopped reading. Only for a short rest.
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
  // biome-ignore lint/plugin: The types of newer Node versions also require a disposal method, which nothing here calls.
  return new WriterQueue(run, close, runsAnyway) as unknown as Queue<T, Result | undefined>
}

/** One object instead of closures: every value passes it, and with a thousand streams each object misses the cache. */
class WriterQueue<T, Result> {
  readonly #run: (write: Write<T>) => Promise<Result>
  readonly #close: () => void | Promise<void>
  readonly #runsAnyway: boolean
  /** Values that were written but not taken. */
  readonly #values: T[] = []
  readonly #waiting: Waiting<T, Result | undefined>[] = []
  #hasBegun = false
  #running: Promise<void> | undefined
  #ending: Ending<Result> | undefined
  #isLeft = false
  #isHurried = false
  #sink: Write<T> | undefined
  #isSinkBusy = false
  /** Resumes the writer. */
  #open: () => void = () => {}

  constructor(run: (write: Write<T>) => Promise<Result>, close: () => void | Promise<void>, runsAnyway: boolean) {
    this.#run = run
    this.#close = close
    this.#runsAnyway = runsAnyway
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<Step<T, Result | undefined>> {
    return this.#ask()
  }

  async return(value?: Result | PromiseLike<Result>): Promise<Step<T, Result | undefined>> {
    await this.#leave()
    return { done: true, value: await value }
  }

  async throw(error: unknown): Promise<never> {
    await this.#leave()
    throw error
  }

  async drainTo(sink: Write<T>): Promise<Result | undefined> {
    this.#sink = sink
    const { value } = await this.#ask()
    return value as Result | undefined
  }

  begin(): void {
    if (this.#hasBegun || this.#ending !== undefined) return
    // Set before it runs: its first value may make the reader leave.
    this.#hasBegun = true
    this.#running = this.#run((value) => this.#write(value)).then(
      (result) => this.#endWith({ result }),
      (error: unknown) => this.#endWith({ error }),
    )
  }

  finish(): void {
    this.#isHurried = true
    this.begin()
    this.#open()
  }

  #write(value: T): Promise<void> | undefined {
    if (this.#isLeft) return undefined
    // Only the sink is waiting, so there is nothing else to deliver.
    if (this.#sink !== undefined && !this.#isSinkBusy) this.#give(this.#sink, value)
    else {
      this.#values.push(value)
      this.#deliver()
    }
    if (this.#isWanted()) return undefined
    return new Promise((resolve) => {
      this.#open = resolve
    })
  }

  /** Whether the writer may make another value. */
  #isWanted(): boolean {
    return this.#isHurried || this.#isLeft || (this.#sink === undefined ? this.#waiting.length > 0 : !this.#isSinkBusy)
  }

  #give(to: Write<T>, value: T): void {
    try {
      const pending = to(value)
      if (pending === undefined) return
      this.#isSinkBusy = true
      pending.then(
        () => {
          this.#isSinkBusy = false
          this.#open()
          this.#deliver()
        },
        (error: unknown) => this.#failSink(error),
      )
    } catch (error) {
      this.#failSink(error)
    }
  }

  /** Handles the failure of a sink: rejects the waiting calls, and closes the writer. */
  #failSink(error: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
    this.#leave().catch(() => {})
  }

  /** Delivers the available values to the waiting reader. */
  #deliver(): void {
    const values = this.#values
    const waiting = this.#waiting
    while (values.length > 0 && this.#sink !== undefined && !this.#isSinkBusy) {
      this.#give(this.#sink, values.shift() as T)
    }
    if (this.#sink === undefined) {
      while (values.length > 0 && waiting.length > 0) {
        waiting.shift()?.resolve({ done: false, value: values.shift() as T })
      }
    }
    const ending = this.#ending
    if (ending === undefined || (!this.#isLeft && (values.length > 0 || this.#isSinkBusy))) return
    let outcome: Ending<Result> = ending
    for (const { resolve, reject } of waiting.splice(0)) {
      if ('error' in outcome) reject(outcome.error)
      else resolve({ done: true, value: outcome.result })
      // Only the first call learns how it ended.
      outcome = OVER
      this.#ending = OVER
    }
  }

  #endWith(ending: Ending<Result>): void {
    this.#ending = ending
    this.#deliver()
    if (this.#isLeft) this.#ending = OVER
  }

  #ask(): Promise<Step<T, Result | undefined>> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.begin()
      this.#deliver()
      // The reader may want nothing beyond a value that was ready.
      if (this.#isWanted()) this.#open()
    })
  }

  async #leave(): Promise<void> {
    if (this.#ending !== undefined || this.#isLeft) return await this.#running
    this.#isLeft = true
    this.#values.length = 0
    if (!this.#hasBegun && !this.#runsAnyway) this.#ending = OVER
    const closed = this.#close()
    this.begin()
    this.#open()
    await Promise.all([this.#running, closed])
  }
}

const OVER = { result: undefined }
