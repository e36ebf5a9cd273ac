import type { Reclaimable } from '../../../src/byte-budget.js'
import type { FinishedResponse, Lease, ResponseStore } from '../../../src/stores/store.js'

/** A store in memory that says how many bytes it keeps, and drops the responses that finished first. */
export interface CountedStore extends ResponseStore {
  readonly memory: Reclaimable
  /** The responses that it keeps, the first one first. */
  readonly ids: readonly string[]
}

/** What a character of a conversation takes: as text, and as ids. */
const CHARACTER_BYTES = 4

export function countedStore(store: ResponseStore): CountedStore {
  const kept = new Map<string, { readonly owner: string; readonly bytes: number }>()
  const listeners = new Set<() => void>()
  let all = 0
  const tell = (): void => {
    for (const listener of listeners) listener()
  }
  function drop(responseId: string): number {
    const { bytes = 0 } = kept.get(responseId) ?? {}
    kept.delete(responseId)
    all -= bytes
    return bytes
  }
  const memory: Reclaimable = {
    get bytes() {
      return all
    },
    reclaim(wanted) {
      let freed = 0
      for (const [responseId, { owner }] of kept) {
        if (freed >= wanted) break
        freed += drop(responseId)
        // A store in memory has done it by now.
        store.delete(responseId, owner)
      }
      tell()
      return freed
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  return {
    ...store,
    memory,
    get ids() {
      return [...kept.keys()]
    },
    async finish(lease: Lease, finished: FinishedResponse) {
      await store.finish(lease, finished)
      const bytes = JSON.stringify([finished.added, finished.response]).length * CHARACTER_BYTES
      kept.set(lease.responseId, { owner: lease.owner, bytes })
      all += bytes
      tell()
    },
    async delete(responseId: string, owner: string) {
      drop(responseId)
      tell()
      return await store.delete(responseId, owner)
    },
  }
}
