/** The longest delay, as a multiple of the first. */
const MAX = 64

/**
 * Delays the reconnection of a server that failed: none after the first failure, and then a delay that doubles with
 * each, so that a program that dies at every start is not started at every request.
 */
export class RestartDelay {
  readonly #first: number
  #failures = 0
  #lastFailure = 0
  #lastError: unknown

  /** @param first - the delay after the second failure in a row, in milliseconds */
  constructor(first: number) {
    this.#first = first
  }

  /** Resets the failures, because the server answered a call. */
  reset(): void {
    this.#failures = 0
  }

  /** @param now - in milliseconds, by a monotonic clock, as in all methods */
  failed(error: unknown, now: number): void {
    this.#failures += 1
    this.#lastFailure = now
    this.#lastError = error
  }

  /** Forgets the failures before a connection that lasted longer than the longest delay. */
  lost(error: unknown, openedAt: number, now: number): void {
    if (now - openedAt > this.#first * MAX) this.reset()
    this.failed(error, now)
  }

  /** @throws Error if the server may not be connected yet; its cause is the last failure */
  check(now: number): void {
    const delay = this.#failures < 2 ? 0 : this.#first * Math.min(2 ** (this.#failures - 2), MAX)
    const left = Math.ceil(this.#lastFailure + delay - now)
    if (left <= 0) return
    const message = `The server failed ${this.#failures} times in a row, and is not connected for ${left} ms.`
    throw new Error(message, { cause: this.#lastError })
  }
}
