import type { Reclaimable } from '../byte-budget.js'
import { closable } from '../closable.js'
import type { Entry } from '../journal/entry.js'
import { checkOptions, type OptionTable } from '../options/check-options.js'
import { aFunction, wholeNumber } from '../options/checks.js'
import type { HistoryEntry } from '../prompt/history.js'
import { unixSeconds } from '../unix-seconds.js'
import { bytesOfEntry, bytesOfFinished } from './bytes-of.js'
import { type Conversation, Conversations, type Member } from './conversations.js'
import { Expiring } from './expiring.js'
import { KeptItems } from './kept-items.js'
import { after, type PathEnd, takeOff, valuesOf } from './path.js'
import {
  type FinishedResponse,
  type FoundLineage,
  type FoundResponse,
  type KeyedRequest,
  type Lease,
  type ResponseStore,
  StoreConflict,
} from './store.js'

/**
 * How much a store in memory keeps. Over it, whole conversations go, the least recently used first; never one in which a
 * response is running, and the last one only if it is too large by itself and has more than one response.
 */
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
  /**
   * Bytes of all responses and entries, by an estimate (`bytes-of.ts`). Entries of responses that are over go first.
   * Default 268,435,456: 256 MiB.
   */
  readonly bytes?: number
  /** How long a conversation is kept after it was last used, in seconds. Default 86,400: a day. */
  readonly seconds?: number
  /** Unix time in seconds. Default: the system's. */
  readonly clock?: () => number
}

const MEMORY_STORE_OPTIONS: OptionTable<MemoryStoreOptions> = {
  responses: wholeNumber(1),
  items: wholeNumber(1),
  entries: wholeNumber(1),
  bytes: wholeNumber(1),
  seconds: wholeNumber(1),
  clock: aFunction,
}

/** A store whose bytes a budget of the whole process counts, and may ask to be less. */
export interface MemoryStore extends ResponseStore {
  /**
   * What it keeps of responses that are over, by an estimate: running ones are counted by who runs them. Asked for bytes, it
   * forgets what it can do without: entries, the oldest first, then whole conversations, the least recently used first.
   * Nothing of a conversation in which a response is running.
   */
  readonly memory: Reclaimable
}

interface Kept extends Member {
  readonly responseId: string
  readonly owner: string
  readonly isTransient: boolean
  epoch: number
  /** Undefined once they were dropped. */
  entries: Entry[] | undefined
  entryBytes: number
  finished: FinishedResponse | undefined
  /** Where it stands in its conversation, once it is over. */
  place: PathEnd<FinishedResponse> | undefined
  /** Resolves what waits for an entry or the end. */
  readonly readers: Set<() => void>
}

/**
 * A store in this process's memory, bounded and expiring. It survives no restart: that is for a store of another kind.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  checkOptions('createMemoryStore', options, MEMORY_STORE_OPTIONS)
  const { responses = 10_000, items = 200_000, entries = 1_000_000, bytes = 268_435_456, seconds = 86_400 } = options
  const { clock = unixSeconds } = options
  const kept = new Map<string, Kept>()
  const found = new KeptItems()
  const times = { seconds, clock }
  const conversations = new Conversations<Kept>(times, forget)
  const keys = new Expiring<KeyedRequest>(responses, times)
  /** Where the key of each response is kept. */
  const keyOf = new Map<string, string>()
  const approvals = new Expiring<true>(items, times)
  /** Finished responses whose entries are kept, the oldest first. */
  const replayable = new Set<Kept>()
  let entryCount = 0
  const listeners = new Set<() => void>()
  /** Of entries of running responses. */
  let runningBytes = 0
  let told = 0

  function overBytes(): number {
    return conversations.bytes - runningBytes
  }

  /** Called last, when nothing is half done: a listener may reclaim. */
  function tell(): void {
    if (overBytes() === told) return
    told = overBytes()
    for (const listener of listeners) listener()
  }

  function own(responseId: string, owner: string): Kept | undefined {
    conversations.expire()
    const response = kept.get(responseId)
    return response?.owner === owner && !response.isDeleted ? response : undefined
  }

  /** A response that somebody asks for. */
  function used(responseId: string, owner: string): Kept | undefined {
    const response = own(responseId, owner)
    if (response !== undefined) conversations.use(response)
    return response
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

  function dropEntries(response: Kept): void {
    entryCount -= response.entries?.length ?? 0
    conversations.grow(response, { bytes: -response.entryBytes })
    if (response.finished === undefined) runningBytes -= response.entryBytes
    response.entries = undefined
    response.entryBytes = 0
    replayable.delete(response)
  }

  /** Drops entries of responses that are over, the oldest first. */
  function dropReplays(isTooMuch: () => boolean): void {
    for (const response of replayable) {
      if (!isTooMuch()) return
      dropEntries(response)
    }
  }

  /** What is left of it is its part of the conversation. */
  function hide(response: Kept): void {
    dropEntries(response)
    found.forget(response.responseId)
    forgetKey(response.responseId)
  }

  function remove(response: Kept): void {
    hide(response)
    conversations.delete(response)
    wake(response)
  }

  function forget(response: Kept): void {
    entryCount -= response.entries?.length ?? 0
    replayable.delete(response)
    found.forget(response.responseId)
    forgetKey(response.responseId)
    response.isDeleted = true
    if (response.place !== undefined && response.children === 0) takeOff(response.place)
    kept.delete(response.responseId)
    wake(response)
  }

  /** A key without its response would answer nothing for as long as it is kept. */
  function forgetKey(responseId: string): void {
    const key = keyOf.get(responseId)
    keyOf.delete(responseId)
    if (key !== undefined && keys.get(key)?.responseId === responseId) keys.delete(key)
  }

  function shrink(): void {
    dropReplays(() => entryCount > entries || conversations.bytes > bytes)
    while (conversations.finished > responses || found.size > items || conversations.bytes > bytes) {
      const { oldest } = conversations
      if (oldest === undefined || (conversations.idle === 1 && !isTooLarge(oldest))) return
      conversations.forgetOldest()
    }
  }

  function isTooLarge(conversation: Conversation): boolean {
    const isLarge = conversation.members.size > responses || conversation.items > items || conversation.bytes > bytes
    return isLarge && conversation.members.size > 1
  }

  return {
    memory: {
      get bytes() {
        return overBytes()
      },
      reclaim(wanted) {
        const before = overBytes()
        const most = before - wanted
        dropReplays(() => overBytes() > most)
        while (overBytes() > most && conversations.idle > 0) conversations.forgetOldest()
        const freed = before - overBytes()
        tell()
        return freed
      },
      onChange(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },

    async open({ responseId, owner, isTransient, previous: previousId }) {
      if (kept.has(responseId)) throw new StoreConflict(`${responseId} exists`)
      const previous = previousId === undefined ? undefined : own(previousId, owner)
      const isThere = previousId === undefined || (previous?.finished !== undefined && !previous.isTransient)
      if (!isThere) throw new StoreConflict(`${previousId} is not there to go on from`)
      const response = {
        responseId,
        owner,
        isTransient,
        epoch: 1,
        entries: [],
        entryBytes: 0,
        finished: undefined,
        place: undefined,
      }
      const member = { previous: undefined, children: 0, isRunning: true, isDeleted: false, items: 0, bytes: 0 }
      const opened = { ...response, ...member, readers: new Set<() => void>() } as Omit<Kept, 'conversation'> as Kept
      kept.set(responseId, opened)
      conversations.begin(opened, previous)
      return { responseId, owner, epoch: 1 }
    },

    async append(lease, at, added) {
      const response = held(lease)
      const { entries: known = [] } = response
      if (known.length !== at) throw new StoreConflict(`${lease.responseId} has ${known.length} entries, not ${at}`)
      known.push(...added)
      const size = added.reduce((sum, entry) => sum + bytesOfEntry(entry), 0)
      response.entryBytes += size
      runningBytes += size
      conversations.grow(response, { bytes: size })
      entryCount += added.length
      wake(response)
      if (entryCount > entries || conversations.bytes > bytes) shrink()
      tell()
    },

    async finish(lease, finished) {
      const response = held(lease)
      response.finished = compact(finished)
      runningBytes -= response.entryBytes
      const before = response.isTransient ? undefined : (response.previous as Kept | undefined)?.place
      response.place = after(before, response.finished)
      conversations.grow(response, {
        bytes: bytesOfFinished(response.finished),
        items: finished.added.length + finished.response.output.length,
      })
      if (!response.isTransient) found.keep(lease, finished)
      replayable.add(response)
      conversations.end(response, response.isTransient)
      wake(response)
      shrink()
      tell()
    },

    async abandon(lease) {
      remove(held(lease))
      tell()
    },

    async claim(responseId, owner) {
      const response = own(responseId, owner)
      if (response === undefined || response.finished !== undefined) return undefined
      response.epoch += 1
      return { responseId, owner, epoch: response.epoch }
    },

    async find(responseId, owner): Promise<FoundResponse | undefined> {
      const response = used(responseId, owner)
      if (response === undefined) return undefined
      const { isTransient, finished } = response
      return finished === undefined ? { isTransient, state: 'running' } : { isTransient, state: 'finished', finished }
    },

    async lineage(responseId, owner): Promise<FoundLineage | undefined> {
      const response = used(responseId, owner)
      if (response === undefined) return undefined
      const { isTransient, finished, previous } = response
      const responses = valuesOf(response.place ?? (previous as Kept | undefined)?.place)
      return { isTransient, state: finished === undefined ? 'running' : 'finished', responses }
    },

    async findItem(itemId, owner) {
      conversations.expire()
      const item = found.find(itemId, owner)
      if (item !== undefined) used(item.responseId, owner)
      return item
    },

    async entries(responseId, owner, from = 0) {
      const response = used(responseId, owner)
      return response?.entries === undefined ? undefined : follow(response, response.entries, from)
    },

    async delete(responseId, owner) {
      const response = own(responseId, owner)
      if (response !== undefined) remove(response)
      tell()
      return response !== undefined
    },

    async consumeApprovals(approvalRequestIds, owner) {
      const consumed = approvalRequestIds.map((id) => ({ id, key: JSON.stringify([owner, id]) }))
      if (consumed.some(({ id, key }) => approvals.get(key) || found.isConsumed(id, owner))) return false
      for (const { id, key } of consumed) {
        // An item may be renewed, and found for longer than a time alone is kept.
        found.consume(id, owner)
        approvals.set(key, true)
      }
      return true
    },

    async reserveKey(request) {
      const key = JSON.stringify([request.owner, request.key])
      conversations.expire()
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

/** With four bytes for each id, where a list takes eight. */
function compact(finished: FinishedResponse): FinishedResponse {
  const history = finished.history.map((entry): HistoryEntry => {
    const isList = 'tokens' in entry && Array.isArray(entry.tokens)
    return isList ? { tokens: Uint32Array.from(entry.tokens) } : entry
  })
  return { ...finished, history }
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
