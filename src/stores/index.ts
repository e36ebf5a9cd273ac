export { createMemoryStore, type MemoryStore, type MemoryStoreOptions } from './memory-store.js'
export {
  type FinishedResponse,
  type FoundItem,
  type FoundLineage,
  type FoundResponse,
  type KeptResponse,
  type KeyedRequest,
  type Lease,
  type NewResponse,
  type ResponseStore,
  StoreConflict,
} from './store.js'
