import type { ResponseStore } from '../../stores/store.js'
import { type BatchWriter, createBatchWriter } from './batch-writer.js'
import { createHeartbeat, type Heartbeat } from './heartbeat.js'
import { type StoredResponses, storedResponses } from './stored-responses.js'

/** A store, as those of the service use it. */
export interface Shelf {
  readonly store: ResponseStore
  /** For those that read. */
  readonly stored: StoredResponses
  /** For those that write. */
  readonly writer: BatchWriter
  /** Keeps the leases of those that write. */
  readonly heartbeat: Heartbeat
  /** How long a lease lasts after each append. */
  readonly leaseSeconds: number
}

export interface ShelfOptions {
  readonly clock: () => number
  readonly report: (error: unknown) => void
  readonly leaseSeconds: number
}

export function createShelf(store: ResponseStore, { clock, report, leaseSeconds }: ShelfOptions): Shelf {
  return {
    store,
    stored: storedResponses(store, { clock, report }),
    writer: createBatchWriter(store),
    // No other process claims responses that end with this one.
    heartbeat: createHeartbeat(store.durability === 'none' ? undefined : leaseSeconds, report),
    leaseSeconds,
  }
}
