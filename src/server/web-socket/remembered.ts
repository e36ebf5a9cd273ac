import type { Reclaimable } from '../../byte-budget.js'
import type { FinishedResponse } from '../../stores/store.js'

/** The responses of one connection that are not stored, for the next `previous_response_id`: the latest ones. */
export interface Remembered extends Reclaimable {
  find(responseId: string): FinishedResponse | undefined
  /**
   * @param size - of what the response added to its conversation, in characters
   * @param previous - the id of the response that it goes on from
   */
  add(finished: FinishedResponse, size: number, previous: string | undefined): void
  forget(responseId: string): void
}

/** In characters. The latest response is remembered whatever its size. */
const MOST_SIZE = 67_108_864

/** What a character of a conversation takes: in its items, and as ids of its transcripts. */
const CHARACTER_BYTES = 3

/** @param most - how many responses */
export function createRemembered(most: number): Remembered {
  const known = new Map<string, { readonly finished: FinishedResponse; readonly size: number }>()
  const listeners = new Set<() => void>()
  let total = 0
  function forget(responseId: string): void {
    total -= known.get(responseId)?.size ?? 0
    known.delete(responseId)
    for (const listener of listeners) listener()
  }
  return {
    find: (responseId) => known.get(responseId)?.finished,
    add(finished, added, previous) {
      // A response holds its whole conversation, though it shares most of it with the one before.
      const size = added + ((previous !== undefined && known.get(previous)?.size) || 0)
      known.set(finished.response.id, { finished, size })
      total += size
      for (const oldest of known.keys()) {
        if (known.size <= most && (total <= MOST_SIZE || known.size === 1)) break
        forget(oldest)
      }
      for (const listener of listeners) listener()
    },
    forget,
    get bytes() {
      return total * CHARACTER_BYTES
    },
    reclaim(bytes) {
      const before = total
      for (const oldest of known.keys()) {
        if ((before - total) * CHARACTER_BYTES >= bytes) break
        forget(oldest)
      }
      return (before - total) * CHARACTER_BYTES
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
