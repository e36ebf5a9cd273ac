import type { Entry } from '../../journal/entry.js'
import type { FinishedResponse, Lease, NewResponse, ResponseStore } from '../../stores/store.js'

/** What a writer knows of its entries. */
export interface Written {
  /** Those that the store has acknowledged. They are kept here, too, for how the response ends if the store is gone. */
  readonly entries: readonly Entry[]
  /** The one that it may have or not, since it failed; undefined if there is none. */
  readonly unknown: Entry | undefined
}

/** The part of a store that one writer sees. */
export interface Journal {
  readonly written: Written
  append(entry: Entry): Promise<void>
  finish(finished: FinishedResponse): Promise<void>
  abandon(): Promise<void>
  entries(): Promise<AsyncIterable<readonly Entry[]>>
}

export async function openJournal(store: ResponseStore, response: NewResponse): Promise<Journal> {
  const lease: Lease = await store.open(response)
  const entries: Entry[] = []
  let unknown: Entry | undefined
  return {
    get written() {
      return { entries, unknown }
    },
    async append(entry) {
      unknown = entry
      await store.append(lease, entries.length, [entry])
      unknown = undefined
      entries.push(entry)
    },
    finish: (finished) => store.finish(lease, finished),
    abandon: () => store.abandon(lease),
    async entries() {
      const entries = await store.entries(response.responseId, response.owner)
      if (entries === undefined) throw new Error(`${response.responseId}: its entries are gone`)
      return entries
    },
  }
}
