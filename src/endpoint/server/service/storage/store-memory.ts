import type { ByteBudget } from '../../../flow/byte-budget.js'
import type { ResponseStore } from '../../../stores/store.js'

/** Counts the memory of a store in this process, if it reports any. */
export function joinStore(budget: ByteBudget, { memory }: ResponseStore): void {
  if (typeof memory?.bytes !== 'number' || typeof memory.reclaim !== 'function') return
  if (typeof memory.onChange === 'function') budget.join(memory)
}
