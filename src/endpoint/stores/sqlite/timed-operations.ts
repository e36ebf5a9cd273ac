import type { Moment } from '../database/expiry.js'
import type { Operations } from '../database/operation-types.js'

export interface Bounds {
  readonly seconds: number
  readonly ownerBytes: number
  /** The id of the clock of leases. */
  readonly leaseClock: string
}

/** The operations of the worker: those of every database, at a moment, and the copy of a file. */
export type TimedOperations = {
  readonly [Name in keyof Operations]: (
    time: Moment,
    ...given: Parameters<Operations[Name]>
  ) => ReturnType<Operations[Name]>
} & { backup(time: Moment, file: string): void }
