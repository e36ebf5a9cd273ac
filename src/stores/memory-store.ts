import { closable } from '../closable.js'
import { check } from '../errors.js'
import type { Entry } from '../journal/entry.js'
import { Expiring } from './expiring.js'
import { KeptItems } from './kept-items.js'
import {
  type FinishedResponse,
  type FoundResponse,
  type KeyedRequest,
  type Lease,
  type ResponseStore,
  StoreConflict,
} from './store.js'

/** How much a store in memory keeps. What is over goes, the oldest first; a response that is running never does. */
export interface MemoryStoreOptions {
  /** Responses. Default 10,000. */
  readonly responses?: number
  /** Items of all conversations, each counted once. Default 200,000. */
  readonly items?: number
  /**
   * Entries of all responses, about one a token: without them, a response can still be had, and not streamed again.
   * Default 1,000,000.
   */
  readonly entries?: number
  /** How long something is kept, in seconds. Default 86,400: a day. */
  readonly seconds?: number
  /** Unix time in seconds. Default: the system's. */
  readonly clock?: () => number
}

interface Kept {
  readonly owner: string
  readonly isTransient: boolean
  epoch: number
  /** Undefined once they were dropped. */
  entries: Entry[] | undefined
  finished: FinishedResponse | undefined
  isDeleted: boolean
  /** Resolves what waits for an entry or the end. */
  readonly readers: Set<() => void>
}

/**
 * A store in this process's memory, bounded and expiring. It survives no restart: that is for a store of another kind.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): ResponseStore {
  const { responses = 10_000, items = 200_000, entries = 1_000_000, seconds = 86_400 } = options
  const { clock = () => Math.floor(Date.now() / 1000) } = options
  for (const [name, limit] of Object.entries({ responses, items, entries, seconds })) {
    check(Number.isInteger(limit) && limit > 0, name, 'a whole number of at least 1', limit)
  }
  const kept = new Map<string, Kept>()
  const found = new KeptItems()
  const times = { seconds, clock }
  const finishedIds = new Expiring<true>(responses, times, forget)
  const keys = new Expiring<KeyedRequest>(responses, times)
  /** Where the key of each response is kept. */
  const keyOf = new Map<string, string>()
  const approvals = new Expiring<true>(items, times)
  /** Finished responses whose entries are kept, the oldest first. */
  const replayable = new Set<string>()
  let entryCount = 0

  function own(responseId: string, owner: string): Kept | undefined {
    finishedIds.expire()
    const response = kept.get(responseId)
    return response?.owner === owner ? response : undefined
  }

  function held({ responseId, owner, epoch }: Lease): Kept {
    const response = own(responseId, owner)
    if (response === undefined || response.epoch !== epoch || response.finished !== undefined) {
      throw new StoreConflict(`the lease of ${responseId} is not the latest`)
    }
    return response
  }

  function wake(response: Kept): void {
    for (const resolve of [...response.readers]) resolve()
  }

  function dropEntries(responseId: string, response: Kept): void {
    entryCount -= response.entries?.length ?? 0
    response.entries = undefined
    replayable.delete(responseId)
  }

  function forget(responseId: string): void {
    const response = kept.get(responseId)
    if (response === undefined) return
    dropEntries(responseId, response)
    found.forget(responseId)
    forgetKey(responseId)
    response.isDeleted = true
    kept.delete(responseId)
    wake(response)
  }

  /** A key without its response would answer nothing for as long as it is kept. */
  function forgetKey(responseId: string): void {
    const key = keyOf.get(responseId)
    keyOf.delete(responseId)
    if (key !== undefined && keys.get(key)?.responseId === responseId) keys.delete(key)
  }

  function shrink(): void {
    for (const id of replayable) {
      if (entryCount <= entries) break
      const response = kept.get(id)
      if (response !== undefined) dropEntries(id, response)
    }
    while (found.size > items && finishedIds.size > 1) finishedIds.dropOldest()
  }

  return {
    async open({ responseId, owner, isTransient }) {
      if (kept.has(responseId)) throw new StoreConflict(`${responseId} exists`)
      const state = { owner, isTransient, epoch: 1, entries: [], finished: undefined, isDeleted: false }
      kept.set(responseId, { ...state, readers: new Set() })
      return { responseId, owner, epoch: 1 }
    },

    async append(lease, at, added) {
      const response = held(lease)
      const { entries: known = [] } = response
      if (known.length !== at) throw new StoreConflict(`${lease.responseId} has ${known.length} entries, not ${at}`)
      known.push(...added)
      entryCount += added.length
      wake(response)
      if (entryCount > entries) shrink()
    },

    async finish(lease, finished) {
      const response = held(lease)
      response.finished = finished
      if (!response.isTransient) found.keep(lease, finished)
      replayable.add(lease.responseId)
      finishedIds.set(lease.responseId, true)
      wake(response)
      shrink()
    },

    async abandon(lease) {
      held(lease)
      forget(lease.responseId)
    },

    async claim(responseId, owner) {
      const response = own(responseId, owner)
      if (response === undefined || response.finished !== undefined) return undefined
      response.epoch += 1
      return { responseId, owner, epoch: response.epoch }
    },

    async find(responseId, owner): Promise<FoundResponse | undefined> {
      const response = own(responseId, owner)
      if (response === undefined) return undefined
      const { isTransient, finished } = response
      return finished === undefined ? { isTransient, state: 'running' } : { isTransient, state: 'finished', finished }
    },

    async findItem(itemId, owner) {
      finishedIds.expire()
      return found.find(itemId, owner)
    },

    async entries(responseId, owner, from = 0) {
      const response = own(responseId, owner)
      return response?.entries === undefined ? undefined : follow(response, response.entries, from)
    },

    async delete(responseId, owner) {
      if (own(responseId, owner) === undefined) return false
      finishedIds.delete(responseId)
      forget(responseId)
      return true
    },

    async consumeApprovals(approvalRequestIds, owner) {
      const consumed = approvalRequestIds.map((id) => JSON.stringify([owner, id]))
      if (consumed.some((key) => approvals.get(key))) return false
      for (const key of consumed) approvals.set(key, true)
      return true
    },

    async reserveKey(request) {
      const key = JSON.stringify([request.owner, request.key])
      finishedIds.expire()
      const known = keys.get(key)
      if (known !== undefined) return known
      keys.set(key, request)
      keyOf.set(request.responseId, key)
      return request
    },

    async releaseKey(request) {
      forgetKey(request.responseId)
    },
  }
}

/** @param list - the entries, which the reader keeps also if the store drops them before it begins */
function follow(response: Kept, list: readonly Entry[], from: number): AsyncGenerator<readonly Entry[]> {
  const { readers } = response
  let isLeft = false
  let wake = (): void => {}
  async function* read(): AsyncGenerator<readonly Entry[]> {
    for (let at = from; !isLeft; ) {
      if (at < list.length) {
        const added = list.slice(at)
        at = list.length
        yield added
      } else if (response.finished !== undefined || response.isDeleted) return
      else {
        await new Promise<void>((resolve) => {
          wake = () => {
            readers.delete(wake)
            resolve()
          }
          readers.add(wake)
        })
      }
    }
  }
  return closable(read(), () => {
    isLeft = true
    wake()
  })
}
