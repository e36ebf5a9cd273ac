import type { AdminProcess, AdminProcesses } from '../../../endpoint/server/index.js'
import type { DatabaseStore } from '../../../endpoint/stores/database/database-store.js'
import type { BannerOptions } from '../banner.js'
import type { Family } from '../metric-families.js'

/** What joins a process that serves with the others of `--workers`. */
export interface Worker {
  /** Whether it is the first one that was started, which says what all of them would. */
  readonly isFirst: boolean
  /** Tells the first process which leases this one has, for another worker to give up should this one be killed. */
  watches(store: DatabaseStore): DatabaseStore
  /** Says where it listens, which is announced once for all. */
  listening(about: BannerOptions): void
  /** Takes what reads the metrics of this process. */
  measures(read: () => Family[]): void
  /** Adds up the metrics of all workers. Undefined if the process that started them does not answer in time. */
  metricsOfAll(): Promise<readonly Family[] | undefined>
  /** Joins the figures of this process with those of the other workers, for the operator. */
  adminProcesses(own: AdminProcess): AdminProcesses
}
