import type { Entry } from '../../journal/entry.js'
import type { FinishedResponse, Lease, NewResponse, Opening } from '../../stores/store.js'
import { StoreConflict } from '../../stores/store.js'
import type { Shelf } from './shelf.js'
import { blockOf, type Written } from './written.js'

/** A response as it begins in the store: what is known of it before its first entry. */
export type Beginning = Omit<NewResponse, 'entries' | 'leaseSeconds'>

/** A store would not open a response. */
export class OpeningRefused extends Error {
  override readonly name = 'OpeningRefused'
  readonly opening: Exclude<Opening, { state: 'opened' }>

  constructor(opening: OpeningRefused['opening']) {
    super(`the response was not opened: ${opening.state}`)
    this.opening = opening
  }
}

/** The store has fewer entries of a response than it has acknowledged. */
export class EntriesLost extends Error {
  override readonly name = 'EntriesLost'
}

/** The part of a store that one writer sees. */
export interface Journal {
  readonly written: Written
  /** Undefined before its first entry is written. */
  readonly lease: Lease | undefined
  /**
   * Writes entries: the first ones open the response.
   *
   * @param ended - what the response became, if they end it
   * @throws OpeningRefused; StoreConflict if another one writes the response by now; EntriesLost; what the store throws
   */
  append(entries: readonly Entry[], ended?: FinishedResponse): Promise<void>
  /** Gives the lease up, for another process to go on. Nothing is appended afterwards. */
  handOver(): Promise<void>
  /** Renews the lease no more. */
  close(): void
}

/** A response that this process goes on with. */
export interface TakenOver {
  readonly lease: Lease
  readonly entries: readonly Entry[]
}

export interface JournalOptions {
  readonly shelf: Shelf
  /** What is opened with its first entry, or was claimed. */
  readonly begin: Beginning | TakenOver
  /** Called once, when another one has taken the lease. */
  readonly onLost: () => void
}

export function createJournal({ shelf, begin, onLost }: JournalOptions): Journal {
  const { store, writer, heartbeat, leaseSeconds } = shelf
  const entries: Entry[] = 'lease' in begin ? [...begin.entries] : []
  let lease = 'lease' in begin ? begin.lease : undefined
  let unknown: readonly Entry[] = []
  let isQuiet = false
  let isAppending = false
  let isOver = false
  let stopBeating = (): void => {}

  async function renew(): Promise<void> {
    // The append under way renews it.
    if (isAppending || isOver || lease === undefined) return
    if (!isQuiet) {
      isQuiet = true
      return
    }
    const { state } = await writer.append({ lease, at: entries.length, leaseSeconds })
    // An append may have come in between.
    if (state === 'lost' && !isAppending && !isOver) onLost()
  }

  function begun(): void {
    stopBeating = heartbeat.keep({ renew })
  }
  if (lease !== undefined) begun()

  async function open(beginning: Beginning, added: readonly Entry[]): Promise<void> {
    const block = blockOf(added)
    let opening: Opening
    try {
      opening = await store.open({ ...beginning, entries: block, leaseSeconds })
    } catch (error) {
      // It may have been opened all the same. Without this, another process would go on with a response that was refused.
      store.delete(beginning.responseId, beginning.owner).catch(() => {})
      throw error
    }
    if (opening.state !== 'opened') throw new OpeningRefused(opening)
    lease = opening.lease
    begun()
  }

  async function appendTo(held: Lease, added: readonly Entry[], ended: FinishedResponse | undefined): Promise<void> {
    unknown = added
    const all = ended && [...entries, ...added]
    const end = all && { finished: ended, entries: blockOf(all), ...(isCancelled(ended) && { freesKey: true }) }
    const appended = await writer.append({
      ...{ lease: held, at: entries.length, entries: blockOf(added), leaseSeconds },
      ...(end && { end }),
    })
    if (appended.state === 'written') return
    unknown = []
    if (appended.state === 'lost') throw new StoreConflict(`the lease of ${held.responseId} is not the latest`)
    const { count } = appended
    throw new EntriesLost(`${held.responseId}: the store has acknowledged ${entries.length} entries and has ${count}`)
  }

  return {
    get written() {
      return { entries, unknown }
    },
    get lease() {
      return lease
    },
    async append(added, ended) {
      isAppending = true
      try {
        if (lease === undefined) await open(begin as Beginning, added)
        else await appendTo(lease, added, ended)
      } finally {
        isAppending = false
        isQuiet = false
      }
      unknown = []
      // One by one: as arguments, a hundred thousand are too many.
      for (const entry of added) entries.push(entry)
      if (ended !== undefined) close()
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

function isCancelled({ response }: FinishedResponse): boolean {
  return response.status === 'cancelled'
}
