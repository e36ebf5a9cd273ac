/** Why a response stops: aborted, cancelled, left by its reader, or an entry could not be written. */
export type CloseReason = 'abort' | 'cancel' | 'left' | 'unwritten'

/** Whether a response has to stop, and why: the first reason counts. */
export class Closing {
  readonly #work = new AbortController()
  readonly #outside: AbortSignal | undefined
  readonly #onClose: () => void
  #why: CloseReason | undefined

  /**
   * @param outside - aborts the response
   * @param onClose - called once, before the signal aborts
   */
  constructor(outside: AbortSignal | undefined, onClose: () => void) {
    this.#outside = outside
    this.#onClose = onClose
    if (outside?.aborted) this.#abort()
    else outside?.addEventListener('abort', this.#abort)
  }

  get why(): CloseReason | undefined {
    return this.#why
  }

  /** Aborts when engine and tools have to stop. */
  get signal(): AbortSignal {
    return this.#work.signal
  }

  /** A property, since it is passed on alone. */
  readonly isClosed = (): boolean => this.#why !== undefined

  close(why: CloseReason, reason: unknown = this.#outside?.reason): void {
    if (this.#why !== undefined) return
    this.#why = why
    this.ignoreOutside()
    this.#onClose()
    this.#work.abort(reason)
  }

  /** Ends the effect of the outer signal: a response that has ended has nothing left to abort. */
  ignoreOutside(): void {
    this.#outside?.removeEventListener('abort', this.#abort)
  }

  readonly #abort = (): void => this.close('abort')
}
