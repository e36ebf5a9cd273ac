import type { Failure } from '../../../../core/completion/failure.js'
import type { ResponseStreamEvent } from '../../../../core/responses/events.js'
import { type Entry, isLastEntry } from '../../../journal/entry.js'
import { type EndedResponse, type TranslateEntriesOptions, translateEntries } from '../../../respond/index.js'
import { terminalResponse } from '../../../respond/terminal.js'
import {
  type Append,
  type AppendResult,
  type FinishedResponse,
  type Lease,
  type ResponseStore,
  StoreConflict,
} from '../../../stores/store.js'
import type { BatchWriter } from './batch-writer.js'
import { STORE_FAILED } from './store-failed.js'
import { blockOf, largeBlockOf, type Written } from './written.js'

/** The end of a response whose writer could not continue. */
export interface UnwrittenEnd {
  readonly finished: FinishedResponse
  /** The events that were not shown yet, the terminal one last. */
  readonly events: readonly ResponseStreamEvent[]
}

export interface UnfinishedOptions {
  readonly repository: {
    readonly store: Pick<ResponseStore, 'find'>
    readonly writer: BatchWriter
    readonly leaseSeconds: number
  }
  readonly lease: Lease
  readonly clock: () => number
  readonly respond: TranslateEntriesOptions
  readonly written: Written
  /** Whether the response was cancelled; otherwise it fails. */
  readonly isCancelled: boolean
  /** The client's failure. Default: that the store cannot be reached. */
  readonly failure?: Failure
  /** Returns its stored form. */
  readonly finishedOf: (ended: EndedResponse) => FinishedResponse
}

/**
 * A response whose writer could not continue, because the store failed. Its events still follow from its entries: from
 * the written ones, and from its end, which is a failure unless the end itself could not be written.
 */
export class UnfinishedResponse {
  readonly #options: UnfinishedOptions
  readonly #written: Written
  readonly #isEndUnknown: boolean
  #end: readonly Entry[]
  #known: UnwrittenEnd | undefined
  #keeping: Promise<UnwrittenEnd> | undefined

  constructor(options: UnfinishedOptions) {
    this.#options = options
    this.#written = options.written
    this.#isEndUnknown = hasEnd(options.written.unknown)
    this.#end = this.#wholeEnd()
  }

  /**
   * Treats it as failed from now on, unless its unwritten part is only its end: readers must not see more than is
   * stored.
   */
  giveUp(): void {
    if (!this.#isEndUnknown) return
    this.#end = [this.#last()]
    this.#known = undefined
  }

  /** Returns its end: the same at every call, until it is given up or stored. */
  ending(): UnwrittenEnd {
    this.#known ??= this.#translateEnd()
    return this.#known
  }

  /** Writes its end and stores it. @throws the store's error; StoreConflict if another process now has it */
  keep(): Promise<UnwrittenEnd> {
    // One at a time: each would find the other's end.
    this.#keeping ??= this.#keep().finally(() => {
      this.#keeping = undefined
    })
    return this.#keeping
  }

  /** Renews its lease, so that no other process ends it in another way. Has no effect on one that is lost. */
  async renew(): Promise<void> {
    const { lease, repository } = this.#options
    const { writer, leaseSeconds } = repository
    const renewal = { lease, at: this.#written.entries.length, leaseSeconds }
    const appended = await writer.append(renewal)
    if (appended.state === 'behind') await writer.append({ ...renewal, at: appended.count })
  }

  /** Returns the entries from an index on, without a store: the acknowledged ones, and the end. */
  rest(from: number): readonly Entry[] {
    return [...this.#written.entries, ...this.#end].slice(from)
  }

  /** Yields the store's entries from an index on, and then its end, whether that is written or not. */
  async *withEnd(stored: AsyncIterable<readonly Entry[]>, from: number): AsyncGenerator<readonly Entry[]> {
    const missing = this.#written.entries.length - from
    if (missing <= 0) return yield this.#end.slice(-missing)
    let count = 0
    // Read only acknowledged entries: waiting for more would hang.
    for await (const entries of stored) {
      const isLast = count + entries.length >= missing
      yield isLast ? [...entries.slice(0, missing - count), ...this.#end] : entries
      if (isLast) return
      count += entries.length
    }
  }

  #translateEnd(): UnwrittenEnd {
    const translation = translateEntries(this.#options.respond)
    const events: ResponseStreamEvent[] = []
    let transcript: readonly number[] = []
    try {
      for (const entry of this.#written.entries) translation.apply(entry)
      for (const entry of this.#end) for (const event of translation.apply(entry)) events.push(event)
      transcript = translation.transcript
    } finally {
      translation.dispose()
    }
    const response = terminalResponse(events)
    if (response === undefined) throw new Error(`${this.#options.lease.responseId} has no end`)
    return { finished: this.#options.finishedOf({ response, transcript }), events }
  }

  /** The lease fences it, and the index shows how much is there: a failed append may have taken effect. */
  async #keep(): Promise<UnwrittenEnd> {
    const { lease, repository } = this.#options
    const { leaseSeconds } = repository
    for (let at = this.#written.entries.length; ; ) {
      const all = this.rest(0)
      const { finished, events } = this.ending()
      const entries = blockOf(all.slice(at))
      const end = { finished, entries: await largeBlockOf(all) }
      const appended = await this.#appendOrFind({ lease, at, entries, end, leaseSeconds })
      if (appended.state === 'written') return { finished, events }
      if (appended.state === 'lost') return await this.#keptAfterAll()
      // More: the append whose answer was lost took effect. Fewer: the store has lost some, and receives them again.
      if (appended.count === at || appended.count > all.length) {
        throw new StoreConflict(`${lease.responseId} is not ours`)
      }
      at = appended.count
    }
  }

  /** A store that accepts nothing may still have the end. */
  async #appendOrFind(append: Append): Promise<AppendResult> {
    const { store, writer } = this.#options.repository
    const { responseId, owner } = append.lease
    try {
      return await writer.append(append)
    } catch (error) {
      const found = this.#isEndUnknown ? await store.find(responseId, owner).catch(() => undefined) : undefined
      if (found?.state === 'finished') return { state: 'lost' }
      throw error
    }
  }

  /** Stored by an append whose answer was lost. @throws StoreConflict if another process now has it */
  async #keptAfterAll(): Promise<UnwrittenEnd> {
    const { lease, repository } = this.#options
    const { responseId, owner } = lease
    const found = this.#isEndUnknown ? await repository.store.find(responseId, owner) : undefined
    if (found?.state !== 'finished') throw new StoreConflict(`the lease of ${responseId} is not the latest`)
    // Its end as it was before it was given up.
    this.#end = this.#wholeEnd()
    this.#known = undefined
    return { finished: found.finished, events: this.ending().events }
  }

  /** Returns the unacknowledged entries, up to the end of the response. */
  #wholeEnd(): readonly Entry[] {
    const { unknown } = this.#written
    return this.#isEndUnknown ? unknown : [...unknown, this.#last()]
  }

  #last(): Entry {
    const { clock, isCancelled, failure = STORE_FAILED } = this.#options
    const at = clock()
    return isCancelled ? { at, type: 'cancel' } : { at, type: 'fail', failure }
  }
}

/**
 * Whether another process writes the response, or has deleted it. Matched by name, since two copies of this package may
 * be installed.
 */
export function isConflict(error: unknown): boolean {
  return error instanceof Error && error.name === 'StoreConflict'
}

/** Whether entries end a response. */
export function hasEnd(entries: readonly Entry[]): boolean {
  const last = entries.at(-1)
  return last !== undefined && isLastEntry(last)
}
