import type { ResponseStore } from '../../../stores/store.js'
import type { Deadlines } from '../limits/deadlines.js'
import { isConflict } from './unfinished.js'

export interface StoreLimits {
  /** The time limit of one store call, in seconds. Default 10. */
  readonly storeSeconds?: number
  /**
   * The time after its last sign of life at which a process counts as dead, in seconds, if the store survives it:
   * another one then continues its responses. Default 10.
   */
  readonly leaseSeconds?: number
}

/** The store failed or did not answer. The host's report has its cause; clients may retry. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure'
}

/**
 * Wraps a store with a time limit for each call, since a store that hangs would hang every response. A late call may
 * still take effect: it counts as one whose answer was lost. Following entries has no limit.
 *
 * @returns a store whose methods throw `StoreFailure`, or the given store's `StoreConflict`s
 */
export function boundedStore(
  store: ResponseStore,
  { storeSeconds = 10 }: StoreLimits,
  deadlines: Deadlines,
): ResponseStore {
  function bounded<Given extends unknown[], Result>(
    name: keyof ResponseStore,
    call: (...given: Given) => Promise<Result>,
  ): (...given: Given) => Promise<Result> {
    const late = (): Error => new Error(`the store did not answer '${name}' within ${storeSeconds} seconds`)
    return async (...given) => {
      try {
        return await deadlines.within(storeSeconds, call.apply(store, given), late)
      } catch (error) {
        throw isConflict(error) ? error : new StoreFailure('the store failed', { cause: error })
      }
    }
  }
  return {
    durability: store.durability,
    open: bounded('open', store.open),
    append: bounded('append', store.append),
    claim: bounded('claim', store.claim),
    expired: bounded('expired', store.expired),
    find: bounded('find', store.find),
    lineage: bounded('lineage', store.lineage),
    findItem: bounded('findItem', store.findItem),
    findKey: bounded('findKey', store.findKey),
    entries: bounded('entries', store.entries),
    delete: bounded('delete', store.delete),
    consumeApprovals: bounded('consumeApprovals', store.consumeApprovals),
  }
}
