import type { Batch } from '../../core/responses/batch.js'
import type { Entry } from '../journal/entry.js'
import type { EndedResponse, RespondOptions } from './options.js'

/**
 * The maximum number of entries that are not shown yet. A model that samples 50 tokens a second is that far ahead of a
 * store that takes more than a second for an append.
 */
const MAX_AHEAD = 64

/** An entry whose events are not shown yet. */
interface Unshown {
  readonly entry: Entry
  readonly batch: Batch
  readonly ended: EndedResponse | undefined
}

interface Waiter {
  /** The number of entries with which it goes on. */
  readonly most: number
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * Writes entries, and then shows the events of each: **written before shown**. One append runs at a time. Entries that
 * arrive meanwhile are written together by the next one, so that the model need not wait for the store; each entry is
 * still shown as its own batch.
 */
export class Outbox {
  readonly #append: NonNullable<RespondOptions['append']>
  readonly #show: (batch: Batch) => void | PromiseLike<void>
  readonly #onFail: (error: unknown) => void
  #waiting: Unshown[] = []
  /** The entries that are being written or shown. */
  #taken: readonly Unshown[] = []
  /** The number of entries that are waiting, being written or being shown. */
  #count = 0
  #isWriting = false
  #failure: { readonly error: unknown } | undefined
  /** The response, while it waits for room or for all to be shown. */
  #waiter: Waiter | undefined

  /** @param onFail - called once, when an append has thrown: nothing is written or shown after that */
  constructor(
    append: NonNullable<RespondOptions['append']>,
    show: (batch: Batch) => void | PromiseLike<void>,
    onFail: (error: unknown) => void,
  ) {
    this.#append = append
    this.#show = show
    this.#onFail = onFail
  }

  /**
   * Takes an entry and its events.
   *
   * @param ended - the ended response, if the entry ends it
   * @returns a promise, if there is no room for another entry until it resolves. It rejects if an append has thrown
   */
  add(entry: Entry, batch: Batch, ended?: EndedResponse): void | Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error)
    this.#waiting.push({ entry, batch, ended })
    this.#count += 1
    if (!this.#isWriting) void this.#write()
    if (this.#count >= MAX_AHEAD) return this.#until(MAX_AHEAD - 1)
  }

  /** Resolves when everything is written and shown. Rejects if an append has thrown. */
  async flushed(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error
    if (this.#count > 0) await this.#until(0)
  }

  #until(most: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiter = { most, resolve, reject }
    })
  }

  /** By callbacks: an async function for each entry takes as much memory as all else that is done with a token. */
  #write(): void {
    const taken = this.#waiting
    this.#waiting = []
    this.#taken = taken
    this.#isWriting = true
    const { ended } = taken.at(-1) as Unshown
    try {
      const appended = this.#append(
        taken.map(({ entry }) => entry),
        ended,
      )
      Promise.resolve(appended).then(this.#written, this.#fail)
    } catch (error) {
      this.#fail(error)
    }
  }

  readonly #written = (): void => this.#showFrom(0)

  #showFrom(from: number): void {
    const taken = this.#taken
    try {
      for (let at = from; at < taken.length; at++) {
        const { batch } = taken[at] as Unshown
        // Many entries cause no event.
        const showing = batch.length > 0 ? this.#show(batch) : undefined
        if (showing !== undefined) {
          showing.then(() => {
            this.#done()
            this.#showFrom(at + 1)
          }, this.#fail)
          return
        }
        this.#done()
      }
    } catch (error) {
      this.#fail(error)
      return
    }
    this.#isWriting = false
    if (this.#waiting.length > 0) this.#write()
  }

  #done(): void {
    this.#count -= 1
    const waiter = this.#waiter
    if (waiter === undefined || this.#count > waiter.most) return
    this.#waiter = undefined
    waiter.resolve()
  }

  readonly #fail = (error: unknown): void => {
    this.#failure = { error }
    this.#isWriting = false
    this.#onFail(error)
    this.#waiter?.reject(error)
  }
}
