/** Time limits for waits. One timer serves all of them: a timer for each token would cost more. */
export interface Deadlines {
  /**
   * Settles like the promise, or rejects with the result of `late` after this many seconds: up to a quarter of a second
   * later, and not counting time in which the process was busy or asleep.
   *
   * @param late - called once, only if the promise did not settle in time; its later result is ignored
   */
  within<T>(seconds: number, promise: PromiseLike<T>, late: () => unknown): Promise<T>
  /**
   * Opens a deadline for sequential waits, with the precision of {@link Deadlines.within}.
   *
   * @param expire - called when a wait takes too long, which ends the deadline
   */
  open(expire: () => void): Deadline
}

export interface Deadline {
  /** Starts a wait with a limit in seconds. */
  start(seconds: number): void
  /** Ends the wait. */
  stop(): void
  /** Ends the deadline. */
  end(): void
}

const TICK_MS = 250

/** The open deadlines, and their shared timer. */
class Clock {
  ticks = 0
  readonly #open = new Set<OpenDeadline>()
  #timer: ReturnType<typeof setInterval> | undefined

  add(deadline: OpenDeadline): void {
    this.#open.add(deadline)
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS)
  }

  delete(deadline: OpenDeadline): void {
    this.#open.delete(deadline)
  }

  #tick(): void {
    this.ticks += 1
    for (const deadline of this.#open) deadline.tick(this.ticks)
    if (this.#open.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

/** Starting and stopping a wait is one assignment, since every token does both. */
class OpenDeadline implements Deadline {
  readonly #clock: Clock
  readonly #expire: () => void
  #until = Number.POSITIVE_INFINITY

  constructor(clock: Clock, expire: () => void) {
    this.#clock = clock
    this.#expire = expire
    clock.add(this)
  }

  start(seconds: number): void {
    // The current tick may be nearly over.
    this.#until = this.#clock.ticks + 1 + Math.ceil((seconds * 1000) / TICK_MS)
  }

  stop(): void {
    this.#until = Number.POSITIVE_INFINITY
  }

  end(): void {
    this.#clock.delete(this)
  }

  tick(now: number): void {
    if (this.#until > now) return
    this.end()
    this.#expire()
  }
}

export function createDeadlines(): Deadlines {
  const clock = new Clock()
  return {
    open: (expire) => new OpenDeadline(clock, expire),
    within: (seconds, promise, late) =>
      new Promise((resolve, reject) => {
        const deadline = new OpenDeadline(clock, () => reject(late()))
        deadline.start(seconds)
        promise.then(
          (value) => {
            deadline.end()
            resolve(value)
          },
          (error: unknown) => {
            deadline.end()
            reject(error)
          },
        )
      }),
  }
}
