import type { ConversationIndex, ResponseStore } from '../../../stores/store.js'
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
  /** Whether the host has been told the same, and the store has not answered such a call since. */
  readonly isRepeated: boolean

  constructor(cause: unknown, isRepeated: boolean) {
    super('the store failed', { cause })
    this.isRepeated = isRepeated
  }
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
  /** The latest failure of each method that has not answered since, with the number of answers before it. */
  const failing = new Map<string, { readonly message: string; readonly answers: number }>()
  let answers = 0

  function failureOf(name: string, error: unknown): StoreFailure {
    const message = error instanceof Error ? error.message : String(error)
    // Of another method, only while the store answers nothing: its next failure may be another one with the same words.
    const isKnown = [...failing.values()].some((each) => each.message === message && each.answers === answers)
    const isRepeated = isKnown || failing.get(name)?.message === message
    failing.set(name, { message, answers })
    return new StoreFailure(error, isRepeated)
  }

  function bounded<Given extends unknown[], Result>(
    name: keyof ResponseStore | `conversations.${keyof ConversationIndex}`,
    call: (...given: Given) => Promise<Result>,
  ): (...given: Given) => Promise<Result> {
    const late = (): Error => new Error(`the store did not answer '${name}' within ${storeSeconds} seconds`)
    return async (...given) => {
      try {
        const result = await deadlines.within(storeSeconds, call.apply(store, given), late)
        answers += 1
        if (failing.size > 0) failing.delete(name)
        return result
      } catch (error) {
        throw isConflict(error) ? error : failureOf(name, error)
      }
    }
  }
  const { conversations } = store
  return {
    durability: store.durability,
    ...(conversations && {
      conversations: {
        find: bounded('conversations.find', (...given) => conversations.find(...given)),
        update: bounded('conversations.update', (...given) => conversations.update(...given)),
        delete: bounded('conversations.delete', (...given) => conversations.delete(...given)),
      } satisfies ConversationIndex,
    }),
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
