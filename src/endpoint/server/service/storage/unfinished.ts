import type { Failure } from '../../../../core/completion/failure.js'
import type { ResponseStreamEvent } from '../../../../core/responses/events.js'
import { type Entry, isLastEntry } from '../../../journal/entry.js'
import { type EndedResponse, type TranslateEntriesOptions, translateEntries } from '../../../respond/index.js'
import { terminalResponse } from '../../../respond/terminal.js'
import {
  type Append,
  type Appended,
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

/**
 * A response whose writer could not continue, because the store failed. Its events still follow from its entries: from
 * the written ones, and from its end, which is a failure unless the end itself could not be written.
 */
export interface UnfinishedResponse {
  /**
   * Treats it as failed from now on, unless its unwritten part is only its end: readers must not see more than is
   * stored.
   */
  giveUp(): void
  /** Returns its end: the same at every call, until it is given up or stored. */
  ending(): UnwrittenEnd
  /** Writes its end and stores it. @throws the store's error; StoreConflict if another process now has it */
  keep(): Promise<UnwrittenEnd>
  /** Renews its lease, so that no other process ends it in another way. Has no effect on one that is lost. */
  renew(): Promise<void>
  /** Returns the entries from an index on, without a store: the acknowledged ones, and the end. */
  rest(from: number): readonly Entry[]
  /** Yields the store's entries from an index on, and then its end, whether that is written or not. */
  withEnd(stored: AsyncIterable<readonly Entry[]>, from: number): AsyncGenerator<readonly Entry[]>
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

export function unfinishedResponse(options: UnfinishedOptions): UnfinishedResponse {
  const { repository, lease, written, isCancelled, failure = STORE_FAILED } = options
  const { store, writer, leaseSeconds } = repository
  const { responseId, owner } = lease
  const lastAt = (at: number): Entry => (isCancelled ? { at, type: 'cancel' } : { at, type: 'fail', failure })
  const isEndUnknown = hasEnd(written.unknown)
  let end = endOf(written, lastAt(options.clock()))
  let known: UnwrittenEnd | undefined
  let keeping: Promise<UnwrittenEnd> | undefined

  const rest = (from: number): readonly Entry[] => [...written.entries, ...end].slice(from)

  function ending(): UnwrittenEnd {
    if (known !== undefined) return known
    const translation = translateEntries(options.respond)
    const events: ResponseStreamEvent[] = []
    let transcript: readonly number[] = []
    try {
      for (const entry of written.entries) translation.apply(entry)
      for (const entry of end) for (const event of translation.apply(entry)) events.push(event)
      transcript = translation.transcript
    } finally {
      translation.dispose()
    }
    const response = terminalResponse(events)
    if (response === undefined) throw new Error(`${responseId} has no end`)
    known = { finished: options.finishedOf({ response, transcript }), events }
    return known
  }

  /** The lease fences it, and the index shows how much is there: a failed append may have taken effect. */
  async function keep(): Promise<UnwrittenEnd> {
    for (let at = written.entries.length; ; ) {
      const all = rest(0)
      const { finished, events } = ending()
      const entries = blockOf(all.slice(at))
      const appended = await appendOrFind({
        lease,
        at,
        entries,
        end: { finished, entries: await largeBlockOf(all) },
        leaseSeconds,
      })
      if (appended.state === 'written') return { finished, events }
      if (appended.state === 'lost') return await keptAfterAll()
      // More: the append whose answer was lost took effect. Fewer: the store has lost some, and receives them again.
      if (appended.count === at || appended.count > all.length) throw new StoreConflict(`${responseId} is not ours`)
      at = appended.count
    }
  }

  async function renew(): Promise<void> {
    const renewal = { lease, at: written.entries.length, leaseSeconds }
    const appended = await writer.append(renewal)
    if (appended.state === 'behind') await writer.append({ ...renewal, at: appended.count })
  }

  /** A store that accepts nothing may still have the end. */
  async function appendOrFind(append: Append): Promise<Appended> {
    try {
      return await writer.append(append)
    } catch (error) {
      const found = isEndUnknown ? await store.find(responseId, owner).catch(() => undefined) : undefined
      if (found?.state === 'finished') return { state: 'lost' }
      throw error
    }
  }

  /** Stored by an append whose answer was lost. @throws StoreConflict if another process now has it */
  async function keptAfterAll(): Promise<UnwrittenEnd> {
    const found = isEndUnknown ? await store.find(responseId, owner) : undefined
    if (found?.state !== 'finished') throw new StoreConflict(`the lease of ${responseId} is not the latest`)
    // Its end as it was before it was given up.
    end = endOf(written, lastAt(options.clock()))
    known = undefined
    return { finished: found.finished, events: ending().events }
  }

  async function* withEnd(stored: AsyncIterable<readonly Entry[]>, from: number): AsyncGenerator<readonly Entry[]> {
    const missing = written.entries.length - from
    if (missing <= 0) return yield end.slice(-missing)
    let count = 0
    // Read only acknowledged entries: waiting for more would hang.
    for await (const entries of stored) {
      const isLast = count + entries.length >= missing
      yield isLast ? [...entries.slice(0, missing - count), ...end] : entries
      if (isLast) return
      count += entries.length
    }
  }

  function giveUp(): void {
    if (!isEndUnknown) return
    end = [lastAt(options.clock())]
    known = undefined
  }

  return {
    giveUp,
    ending,
    rest,
    keep() {
      // One at a time: each would find the other's end.
      keeping ??= keep().finally(() => {
        keeping = undefined
      })
      return keeping
    },
    renew,
    withEnd,
  }
}

/**
 * Whether another process writes the response, or has deleted it. Matched by name, since two copies of this package may
 * be installed.
 */
export function isConflict(error: unknown): boolean {
  return error instanceof Error && error.name === 'StoreConflict'
}

/** Returns the unacknowledged entries, up to the end of the response. */
function endOf({ unknown }: Written, otherwise: Entry): readonly Entry[] {
  return hasEnd(unknown) ? unknown : [...unknown, otherwise]
}

function hasEnd(entries: readonly Entry[]): boolean {
  const last = entries.at(-1)
  return last !== undefined && isLastEntry(last)
}
