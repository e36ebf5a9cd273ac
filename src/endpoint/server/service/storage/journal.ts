import type { Entry } from '../../../journal/entry.js'
import type { Appended, FinishedResponse, Lease, NewResponse, Opening } from '../../../stores/store.js'
import { StoreConflict } from '../../../stores/store.js'
import type { ResponseRepository } from './response-repository.js'
import { blockOf, largeBlockOf, type Written } from './written.js'

/** The facts with which a response begins in the store, without its entries. */
export type Beginning = Omit<NewResponse, 'entries' | 'leaseSeconds'>

/** The store refused to open a response. */
export class OpeningRefused extends Error {
  override readonly name = 'OpeningRefused'
  readonly opening: Exclude<Opening, { state: 'opened' }>

  constructor(opening: OpeningRefused['opening']) {
    super(`the response was not opened: ${opening.state}`)
    this.opening = opening
  }
}

/** The store has lost acknowledged entries of a response. */
export class EntriesLost extends Error {
  override readonly name = 'EntriesLost'
}

/** The view of one writer on a store. */
export interface Journal {
  readonly written: Written
  /** Undefined until its first entry is written. */
  readonly lease: Lease | undefined
  /**
   * Writes entries: the first ones open the response.
   *
   * @param ended - the finished response, if they end it
   * @throws OpeningRefused; StoreConflict if another process now writes the response; EntriesLost; the store's error
   */
  append(entries: readonly Entry[], ended?: FinishedResponse): Promise<void>
  /** Gives the lease up, so that another process can continue. Nothing is appended after that. */
  handOver(): Promise<void>
  /** Stops renewing the lease. */
  close(): void
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

export function createJournal({ repository, begin, onLost }: JournalOptions): Journal {
  const { store, writer, heartbeat, leaseSeconds } = repository
  const { responseId } = 'lease' in begin ? begin.lease : begin
  const entries: Entry[] = 'lease' in begin ? [...begin.entries] : []
  let lease = 'lease' in begin ? begin.lease : undefined
  let unknown: readonly Entry[] = []
  let isQuiet = false
  let isAppending = false
  let isOver = false
  let stopBeating = (): void => {}

  async function renew(): Promise<void> {
    // The running append renews it.
    if (isAppending || isOver || lease === undefined) return
    if (!isQuiet) {
      isQuiet = true
      return
    }
    const { state } = await writer.append({ lease, at: entries.length, leaseSeconds })
    // An append may have happened in between.
    if (state === 'lost' && !isAppending && !isOver) onLost()
  }

  function begun(): void {
    stopBeating = heartbeat.keep({ renew })
  }
  if (lease !== undefined) begun()

  async function open(beginning: Beginning, added: readonly Entry[]): Promise<void> {
    const block = await largeBlockOf(added)
    let opening: Opening
    try {
      opening = await store.open({ ...beginning, entries: block, leaseSeconds })
    } catch (error) {
      // The store may have opened it before it failed: without this, another process would continue a refused response.
      store.delete(beginning.responseId, beginning.owner).catch(() => {})
      throw error
    }
    if (opening.state !== 'opened') throw new OpeningRefused(opening)
    lease = opening.lease
    begun()
  }

  function appendTo(held: Lease, added: readonly Entry[], ended: FinishedResponse | undefined): Promise<void> {
    unknown = added
    const append = { lease: held, at: entries.length, entries: blockOf(added), leaseSeconds }
    if (ended === undefined) return writer.append(append).then(answered, failed)
    return largeBlockOf([...entries, ...added])
      .then((whole) => {
        const end = { finished: ended, entries: whole, ...(isGivenUp(added.at(-1)) && { freesKey: true }) }
        return writer.append({ ...append, end })
      })
      .then(answered, failed)
      .then(close)
  }

  /** Takes the answer to the running append. */
  function answered(result: Appended): void {
    if (result.state === 'written') {
      acknowledge(unknown)
      return
    }
    settle()
    unknown = []
    if (result.state === 'lost') throw new StoreConflict(`the lease of ${responseId} is not the latest`)
    const { count } = result
    throw new EntriesLost(`${responseId}: the store has acknowledged ${entries.length} entries and has ${count}`)
  }

  function acknowledge(added: readonly Entry[]): void {
    settle()
    unknown = []
    // One by one: a hundred thousand entries are too many for arguments.
    for (const entry of added) entries.push(entry)
  }

  function failed(error: unknown): never {
    settle()
    throw error
  }

  function settle(): void {
    isAppending = false
    isQuiet = false
  }

  return {
    get written() {
      return { entries, unknown }
    },
    get lease() {
      return lease
    },
    append(added, ended) {
      isAppending = true
      if (lease === undefined) return open(begin as Beginning, added).then(() => acknowledge(added), failed)
      return appendTo(lease, added, ended)
    },
    async handOver() {
      close()
      if (lease !== undefined) await writer.append({ lease, at: entries.length, leaseSeconds: 0 })
    },
    close,
  }

  function close(): void {
    isOver = true
    stopBeating()
  }
}

/** Whether nobody waited for the response, or its server stopped: its client may send the request again. */
function isGivenUp(last: Entry | undefined): boolean {
  return last?.type === 'cancel' || last?.type === 'abort'
}
