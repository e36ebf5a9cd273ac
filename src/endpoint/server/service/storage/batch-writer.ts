import { later } from '../../../flow/next-turn.js'
import type { Append, AppendResult, ResponseStore } from '../../../stores/store.js'
import { createWaitingAppends } from './waiting-appends.js'

/** Batches the appends of all responses of the process. */
export interface BatchWriter {
  /** @throws the store's error, after which the result of the append is unknown */
  append(append: Append): Promise<AppendResult>
}

/**
 * The maximum number of responses in one append. All of them then show their events in one turn of the event loop:
 * without this limit, a thousand simultaneous tokens would make that turn long.
 */
const MAX = 256
/** The bytes of entries after which a batch ends: the next one, with the appends of other owners, waits for its disk. */
const MAX_BYTES = 1_048_576

interface Waiting {
  readonly append: Append
  readonly resolve: (appended: AppendResult) => void
  readonly reject: (error: unknown) => void
}

/**
 * One call of the store runs at a time; appends that arrive meanwhile form the next one. So a store that takes 20 ms is
 * called 50 times a second, however many responses there are. Owners take turns in each call.
 */
export function createBatchWriter(store: Pick<ResponseStore, 'append'>): BatchWriter {
  const waiting = createWaitingAppends<Waiting>()
  let isWriting = false

  async function write(): Promise<void> {
    isWriting = true
    // Joins appends of other responses in this step of the loop.
    await undefined
    for (;;) {
      const { taken: batch, isFull } = waiting.take(MAX, MAX_BYTES)
      if (batch.length === 0) break
      try {
        const appended = await store.append(batch.map(({ append }) => append))
        for (const [at, { resolve }] of batch.entries()) resolve(appended[at] ?? { state: 'lost' })
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
      // A store in memory answers in the same turn, and what the batch shows fills it.
      if (isFull) await new Promise<void>(later)
    }
    isWriting = false
  }

  return {
    append(append) {
      return new Promise((resolve, reject) => {
        waiting.add({ append, resolve, reject })
        if (!isWriting) void write()
      })
    },
  }
}
