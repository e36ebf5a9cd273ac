import type { Entry } from '../../../journal/entry.js'
import { EntriesLost } from '../../../stores/entries-lost.js'
import type { AppendResult, FinishedResponse, Lease, NewResponse, OpenResult } from '../../../stores/store.js'
import { StoreConflict } from '../../../stores/store.js'
import type { ResponseRepository } from './response-repository.js'
import { blockOf, largeBlockOf, type Written } from './written.js'

/** The facts with which a response begins in the store, without its entries. */
export type Beginning = Omit<NewResponse, 'entries' | 'leaseSeconds'>

/** The store refused to open a response. */
export class OpeningRefused extends Error {
  override readonly name = 'OpeningRefused'
  readonly opening: Exclude<OpenResult, { state: 'opened' }>

  constructor(opening: OpeningRefused['opening']) {
    super(`the response was not opened: ${opening.state}`)
    this.opening = opening
  }
}

/** A response that this process continues. */
export interface TakenOver {
  readonly lease: Lease
  readonly entries: readonly Entry[]
}

export interface JournalOptions {
  readonly repository: ResponseRepository
  /** The response to open with its first entry, or the claimed one. */
  readonly begin: Beginning | TakenOver
  /** Called once, when another process has taken the lease. */
  readonly onLost: () => void
}

/** The view of one writer on a store. */
export class Journal {
  readonly #options: JournalOptions
  readonly #repository: ResponseRepository
  readonly #responseId: string
  readonly #entries: Entry[]
  #lease: Lease | undefined
  #unknown: readonly Entry[] = []
  #isQuiet = false
  #isAppending = false
  #isOver = false
  #stopBeating = (): void => {}

  constructor(options: JournalOptions) {
    const { begin } = options
    const takenOver = 'lease' in begin ? begin : undefined
    this.#options = options
    this.#repository = options.repository
    this.#responseId = 'lease' in begin ? begin.lease.responseId : begin.responseId
    this.#entries = [...(takenOver?.entries ?? [])]
    this.#lease = takenOver?.lease
    if (takenOver !== undefined) this.#beat()
  }

  get written(): Written {
    return { entries: this.#entries, unknown: this.#unknown }
  }

  /** Undefined until its first entry is written. */
  get lease(): Lease | undefined {
    return this.#lease
  }

  /**
   * Writes entries: the first ones open the response.
   *
   * @param ended - the finished response, if they end it
   * @throws OpeningRefused; StoreConflict if another process now writes the response; EntriesLost; the store's error
   */
  append(added: readonly Entry[], ended?: FinishedResponse): Promise<void> {
    this.#isAppending = true
    if (this.#lease !== undefined) return this.#appendTo(this.#lease, added, ended)
    return this.#open(added).then(() => this.#acknowledge(added), this.#failed)
  }

  /**
   * Gives the lease up, so that another process can continue. Nothing is appended after that.
   *
   * @throws EntriesLost, with the lease as it was; the store's error
   */
  async handOver(): Promise<void> {
    this.close()
    const lease = this.#lease
    if (lease === undefined) return
    const { writer } = this.#repository
    const at = this.#entries.length
    const given = await writer.append({ lease, at, leaseSeconds: 0 })
    if (given.state !== 'behind') return
    if (given.count < at) throw new EntriesLost(this.#responseId, at, given.count)
    // The append whose answer was lost took effect.
    await writer.append({ lease, at: given.count, leaseSeconds: 0 })
  }

  /** Stops renewing the lease. */
  close(): void {
    this.#isOver = true
    this.#stopBeating()
  }

  #beat(): void {
    this.#stopBeating = this.#repository.heartbeat.keep({ renew: () => this.#renew() })
  }

  async #renew(): Promise<void> {
    const lease = this.#lease
    // The running append renews it.
    if (this.#isAppending || this.#isOver || lease === undefined) return
    if (!this.#isQuiet) {
      this.#isQuiet = true
      return
    }
    const { writer, leaseSeconds } = this.#repository
    const { state } = await writer.append({ lease, at: this.#entries.length, leaseSeconds })
    // An append may have happened in between.
    if (state === 'lost' && !this.#isAppending && !this.#isOver) this.#options.onLost()
  }

  async #open(added: readonly Entry[]): Promise<void> {
    const { store, leaseSeconds } = this.#repository
    const beginning = this.#options.begin as Beginning
    const block = await largeBlockOf(added)
    let opening: OpenResult
    try {
      opening = await store.open({ ...beginning, entries: block, leaseSeconds })
    } catch (error) {
      // The store may have opened it before it failed: without this, another process would continue a refused response.
      store.delete(beginning.responseId, beginning.owner).catch(() => {})
      throw error
    }
    if (opening.state !== 'opened') throw new OpeningRefused(opening)
    this.#lease = opening.lease
    this.#beat()
  }

  #appendTo(lease: Lease, added: readonly Entry[], ended: FinishedResponse | undefined): Promise<void> {
    const { writer, leaseSeconds } = this.#repository
    this.#unknown = added
    const append = { lease, at: this.#entries.length, entries: blockOf(added), leaseSeconds }
    if (ended === undefined) return writer.append(append).then(this.#answered, this.#failed)
    return largeBlockOf([...this.#entries, ...added])
      .then((whole) => {
        const end = { finished: ended, entries: whole, ...(isGivenUp(added.at(-1)) && { freesKey: true }) }
        return writer.append({ ...append, end })
      })
      .then(this.#answered, this.#failed)
      .then(() => this.close())
  }

  /** Takes the answer to the running append. */
  readonly #answered = (result: AppendResult): void => {
    const added = this.#unknown
    if (result.state === 'written') {
      this.#acknowledge(added)
      return
    }
    this.#settle()
    this.#unknown = []
    const responseId = this.#responseId
    if (result.state === 'lost') throw new StoreConflict(`the lease of ${responseId} is not the latest`)
    throw new EntriesLost(responseId, this.#entries.length, result.count)
  }

  readonly #failed = (error: unknown): never => {
    this.#settle()
    throw error
  }

  #acknowledge(added: readonly Entry[]): void {
    this.#settle()
    this.#unknown = []
    // One by one: a hundred thousand entries are too many for arguments.
    for (const entry of added) this.#entries.push(entry)
  }

  #settle(): void {
    this.#isAppending = false
    this.#isQuiet = false
  }
}

/** Whether nobody waited for the response, or its server stopped: its client may send the request again. */
function isGivenUp(last: Entry | undefined): boolean {
  return last?.type === 'cancel' || last?.type === 'abort'
}
