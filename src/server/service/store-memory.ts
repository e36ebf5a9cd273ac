import type { ByteBudget, Reclaimable } from '../../byte-budget.js'
import type { ResponseStore } from '../../stores/store.js'

/**
 * Counts what a store keeps in this process, if it says how much that is: by a member `memory`. A store that keeps it
 * elsewhere has none.
 */
export function joinStore(budget: ByteBudget, store: ResponseStore): void {
  const { memory } = store as { readonly memory?: Partial<Reclaimable> }
  if (typeof memory?.bytes !== 'number' || typeof memory.reclaim !== 'function') return
  if (typeof memory.onChange === 'function') budget.join(memory as Reclaimable)
}
