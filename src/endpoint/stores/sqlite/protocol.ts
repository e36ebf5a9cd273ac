import type { Moment } from '../database/expiry.js'
import type { Driver } from './driver.js'
import type { Bounds, TimedOperations } from './timed-operations.js'

/** The worker's start options. */
export interface WorkerSettings extends Bounds {
  readonly file: string
  readonly driver: Driver | undefined
  readonly durability: 'process' | 'power'
  readonly lockSeconds: number
  readonly fileBytes: number | undefined
}

/** A request to the worker. */
export type WorkerRequest =
  | {
      readonly type: 'call'
      readonly id: number
      readonly name: keyof TimedOperations
      readonly time: Moment
      readonly given: readonly unknown[]
    }
  /** Whether to report writes of other processes. */
  | { readonly type: 'watch'; readonly isOn: boolean }
  | { readonly type: 'close' }

/** The worker's answer. */
export type Answer =
  | { readonly type: 'started'; readonly driver: Driver }
  | { readonly type: 'failed'; readonly message: string; readonly code: string | undefined }
  | { readonly type: 'done'; readonly id: number; readonly result: unknown }
  | { readonly type: 'refused'; readonly id: number; readonly message: string }
  | { readonly type: 'changed' }
  | { readonly type: 'closed' }
