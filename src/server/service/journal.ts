import type { Entry } from '../../journal/entry.js'
import type { FinishedResponse, Lease, NewResponse, ResponseStore } from '../../stores/store.js'

/** The part of a store that one writer sees. */
export interface Journal {
  append(entry: Entry): Promise<void>
  finish(finished: FinishedResponse): Promise<void>
  abandon(): Promise<void>
  entries(): Promise<AsyncIterable<readonly Entry[]>>
}

export async function openJournal(store: ResponseStore, response: NewResponse): Promise<Journal> {
  const lease: Lease = await store.open(response)
  let count = 0
  return {
    async append(entry) {
      await store.append(lease, count, [entry])
      count += 1
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
