import type { Batch } from '../../core/responses/batch.js'
import type { Write } from '../flow/queue.js'
import type { Entry, EntryBody } from '../journal/entry.js'
import type { ResponseFold } from '../journal/response-fold.js'
import type { Closing } from './closing.js'
import type { EndedResponse, RespondOptions } from './options.js'
import type { Step } from './steps.js'
import type { InvalidReporter } from './strict/report-invalid.js'
import { terminalResponse } from './terminal.js'

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
  readonly max: number
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

export interface OutboxOptions {
  readonly fold: ResponseFold
  readonly closing: Closing
  /** Undefined if no output is checked. */
  readonly reporter: InvalidReporter | undefined
  /** In Unix seconds. */
  readonly clock: () => number
  /** Undefined if entries are not written. */
  readonly append: RespondOptions['append'] | undefined
}

/**
 * Takes the entries of a response, wherever they come from: applies each, writes it, and then shows its events:
 * **written before shown**. One append runs at a time. Entries that arrive meanwhile are written together by the next
 * one, so that the model need not wait for the store; each entry is still shown as its own batch.
 */
export class Outbox {
  readonly #fold: ResponseFold
  readonly #closing: Closing
  readonly #reporter: InvalidReporter | undefined
  readonly #clock: () => number
  readonly #append: RespondOptions['append'] | undefined
  readonly #show: Write<Batch>
  #waiting: Unshown[] = []
  /** The entries that are being written or shown. */
  #taken: readonly Unshown[] = []
  /** The number of entries that are waiting, being written or being shown. */
  #count = 0
  #isWriting = false
  #failure: { readonly error: unknown } | undefined
  /** The response, while it waits for room or for all to be shown. */
  #waiter: Waiter | undefined

  constructor({ fold, closing, reporter, clock, append }: OutboxOptions, show: Write<Batch>) {
    this.#fold = fold
    this.#closing = closing
    this.#reporter = reporter
    this.#clock = clock
    this.#append = append
    this.#show = show
  }

  /** The error of an entry that could not be written. Nothing may follow from such an entry, not even a failure. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure
  }

  /**
   * Takes an entry. Every token passes here: without a promise, unless the store or the reader is behind.
   *
   * @returns a promise, if there is no room for another entry until it resolves. It rejects if an append has thrown
   */
  readonly put = (next: EntryBody): void | PromiseLike<void> => {
    // The reader is gone: stop.
    if (this.#closing.why === 'left') return
    const at = this.#clock()
    const batch = this.#fold.apply(next, at)
    if (next.type !== 'item' && next.type !== 'compaction') this.#reporter?.read(batch)
    // Without a journal no entry is created: a copy of each would take a tenth of a token's time.
    if (this.#append !== undefined) return this.#add({ entry: { at, ...next }, batch, ended: this.#endedWith(batch) })
    // Many entries cause no event.
    return batch.length > 0 ? this.#show(batch) : undefined
  }

  /** Awaits each write before anything else is started, except for another step of the model. */
  async putAll(step: Step): Promise<void> {
    for await (const next of step) {
      await this.put(next)
      await this.flushed()
    }
  }

  /** Resolves when everything is written and shown. Rejects if an append has thrown. */
  async flushed(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error
    if (this.#count > 0) await this.#until(0)
  }

  #endedWith(batch: Batch): EndedResponse | undefined {
    const fold = this.#fold
    const response = fold.stage === 'closed' ? terminalResponse(batch) : undefined
    return response && { response, transcript: fold.transcript, files: fold.files }
  }

  #add(next: Unshown): void | Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error)
    this.#waiting.push(next)
    this.#count += 1
    if (!this.#isWriting) void this.#write()
    if (this.#count >= MAX_AHEAD) return this.#until(MAX_AHEAD - 1)
  }

  #until(max: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiter = { max, resolve, reject }
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
      const appended = this.#append?.(
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
    if (waiter === undefined || this.#count > waiter.max) return
    this.#waiter = undefined
    waiter.resolve()
  }

  readonly #fail = (error: unknown): void => {
    this.#failure = { error }
    this.#isWriting = false
    // Not awaited: nothing that a working engine still returns may be shown.
    this.#closing.close('unwritten')
    this.#waiter?.reject(error)
  }
}
