export { createMemoryStore, type MemoryStoreOptions } from './memory-store.js'
export {
  type FinishedResponse,
  type FoundItem,
  type FoundResponse,
  type KeptResponse,
  type KeyedRequest,
  type Lease,
  type NewResponse,
  type ResponseStore,
  StoreConflict,
} from './store.js'
