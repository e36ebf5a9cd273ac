import { later } from '../../../flow/next-turn.js'
import type { Append, Appended, ResponseStore } from '../../../stores/store.js'

/** Batches the appends of all responses of the process. */
export interface BatchWriter {
  /** @throws the store's error, after which the result of the append is unknown */
  append(append: Append): Promise<Appended>
}

/**
 * The maximum number of responses in one append. All of them then show their events in one turn of the event loop:
 * without this limit, a thousand simultaneous tokens would make that turn long.
 */
const MOST = 256

interface Waiting {
  readonly append: Append
  readonly resolve: (appended: Appended) => void
  readonly reject: (error: unknown) => void
}

/**
 * One call of the store runs at a time; appends that arrive meanwhile form the next one. So a store that takes 20 ms is
 * called 50 times a second, however many responses there are.
 */
export function createBatchWriter(store: Pick<ResponseStore, 'append'>): BatchWriter {
  let waiting: Waiting[] = []
  let isWriting = false

  /** Returns the next appends, one for each response: a second append of the same response depends on the first. */
  function next(): readonly Waiting[] {
    if (waiting.length === 1) {
      const only = waiting
      waiting = []
      return only
    }
    const taken = new Map<string, Waiting>()
    const left: Waiting[] = []
    for (const one of waiting) {
      const { responseId } = one.append.lease
      if (taken.size < MOST && !taken.has(responseId)) taken.set(responseId, one)
      else left.push(one)
    }
    waiting = left
    return [...taken.values()]
  }

  async function write(): Promise<void> {
    isWriting = true
    // Joins appends of other responses in this step of the loop.
    await undefined
    while (waiting.length > 0) {
      const batch = next()
      try {
        const appended = await store.append(batch.map(({ append }) => append))
        for (const [at, { resolve }] of batch.entries()) resolve(appended[at] ?? { state: 'lost' })
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
      // A store in memory answers in the same turn.
      if (batch.length === MOST) await new Promise<void>(later)
    }
    isWriting = false
  }

  return {
    append(append) {
      return new Promise((resolve, reject) => {
        waiting.push({ append, resolve, reject })
        if (!isWriting) void write()
      })
    },
  }
}
