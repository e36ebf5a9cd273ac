import type { ResponseStore } from '../../stores/store.js'
import type { Deadlines } from './deadlines.js'
import { isConflict } from './unfinished.js'

export interface StoreLimits {
  /** How long one call of the store may take, in seconds. Default 10. */
  readonly storeSeconds?: number
  /**
   * How long after its last sign of life a process has died, in seconds, where the store survives it: then another one goes on
   * with its responses. Default 10.
   */
  readonly leaseSeconds?: number
}

/** The store failed or did not answer. Its cause is what the host gets a report of; clients may try again. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure'
}

/**
 * The store with a limit for each call, since a store that hangs would hang every response. A call that takes longer may
 * still be done: it is as one whose answer was lost. The entries that a reader follows come as late as they are written.
 *
 * @returns a store whose methods throw `StoreFailure`, or the `StoreConflict`s of the given one
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
