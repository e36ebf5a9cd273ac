/**
 * What the endpoint keeps, in memory or in a store of your own. docs/stores.md has the rules of a store.
 *
 * @packageDocumentation
 */

export type { Reclaimable } from '../flow/byte-budget.js'
export { createMemoryStore, type MemoryStore, type MemoryStoreOptions } from './memory-store.js'
export * from './store.js'
