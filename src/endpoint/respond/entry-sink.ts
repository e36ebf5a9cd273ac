import type { Batch } from '../../core/responses/batch.js'
import type { Write } from '../flow/queue.js'
import type { EntryBody } from '../journal/entry.js'
import type { ResponseFold } from '../journal/response-fold.js'
import type { Closing } from './closing.js'
import type { EndedResponse, RespondOptions } from './options.js'
import { Outbox } from './outbox.js'
import type { Step } from './steps.js'
import type { InvalidReports } from './strict/invalid-reports.js'
import { terminalResponse } from './terminal.js'

export interface EntrySinkOptions {
  readonly fold: ResponseFold
  readonly closing: Closing
  readonly reports: InvalidReports
  /** In Unix seconds. */
  readonly clock: () => number
  /** Undefined if entries are not written. */
  readonly append: RespondOptions['append'] | undefined
}

/** Takes the entries of a response, wherever they come from: applies each, has it written, and shows its events. */
export class EntrySink {
  readonly #fold: ResponseFold
  readonly #closing: Closing
  readonly #reports: InvalidReports
  readonly #clock: () => number
  readonly #show: Write<Batch>
  readonly #outbox: Outbox | undefined
  #unwritten: { readonly error: unknown } | undefined

  constructor({ fold, closing, reports, clock, append }: EntrySinkOptions, show: Write<Batch>) {
    this.#fold = fold
    this.#closing = closing
    this.#reports = reports
    this.#clock = clock
    this.#show = show
    this.#outbox = append && new Outbox(append, show, (error) => this.#stop(error))
  }

  /**
   * The error of an entry that could not be written. Nothing may follow from such an entry, not even a failure of the
   * response.
   */
  get unwritten(): { readonly error: unknown } | undefined {
    return this.#unwritten
  }

  /** Every token passes here: without a promise, unless the store or the reader is behind. */
  readonly put = (next: EntryBody): void | PromiseLike<void> => {
    // The reader is gone: stop.
    if (this.#closing.why === 'left') return
    const at = this.#clock()
    const batch = this.#fold.apply(next, at)
    if (next.type !== 'item' && next.type !== 'compaction') this.#reports.read(batch)
    // Without a journal no entry is created: a copy of each would take a tenth of a token's time.
    if (this.#outbox !== undefined) return this.#outbox.add({ at, ...next }, batch, this.#endedWith(batch))
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

  /** Resolves when everything is written and shown. Rejects if something could not be written. */
  async flushed(): Promise<void> {
    await this.#outbox?.flushed()
  }

  #endedWith(batch: Batch): EndedResponse | undefined {
    const fold = this.#fold
    const response = fold.stage === 'closed' ? terminalResponse(batch) : undefined
    return response && { response, transcript: fold.transcript, files: fold.files }
  }

  #stop(error: unknown): void {
    this.#unwritten = { error }
    // Not awaited: nothing that a working engine still returns may be shown.
    this.#closing.close('unwritten')
  }
}
