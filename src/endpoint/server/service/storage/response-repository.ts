import type { ResponseStore } from '../../../stores/store.js'
import { type BatchWriter, createBatchWriter } from './batch-writer.js'
import { createHeartbeat, type Heartbeat } from './heartbeat.js'
import { StoredResponses } from './stored-responses.js'

/** A store with its access paths in the service. */
export interface ResponseRepository {
  readonly store: ResponseStore
  /** The store as readers use it. */
  readonly stored: StoredResponses
  /** The store as writers use it. */
  readonly writer: BatchWriter
  /** Renews the leases of writers. */
  readonly heartbeat: Heartbeat
  /** The length of a lease after each append. */
  readonly leaseSeconds: number
}

export interface ResponseRepositoryOptions {
  readonly clock: () => number
  readonly report: (error: unknown) => void
  readonly leaseSeconds: number
}

export function createResponseRepository(
  store: ResponseStore,
  { clock, report, leaseSeconds }: ResponseRepositoryOptions,
): ResponseRepository {
  // No other process claims responses of a store that ends with this process.
  const heartbeat = createHeartbeat(store.durability === 'none' ? undefined : leaseSeconds, report)
  return {
    store,
    stored: new StoredResponses(store, { clock, report, heartbeat }),
    writer: createBatchWriter(store),
    heartbeat,
    leaseSeconds,
  }
}
