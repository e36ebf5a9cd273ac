import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aFunction, wholeNumber } from '../../shared/options/checks.js'
import type { Slices, Work } from '../../shared/slices.js'
import { steadySeconds } from '../../shared/system/steady-seconds.js'
import type { Reclaimable } from '../flow/byte-budget.js'
import { Expiring } from '../flow/expiring.js'
import { bytesOfFinished } from './bytes-of.js'
import { compacted } from './compacted.js'
import { type Conversation, Conversations } from './conversations.js'
import { followBlocks } from './follow-blocks.js'
import { isJoining } from './is-joining.js'
import { foundConversation, KeptConversations } from './kept-conversations.js'
import { KeptEntries } from './kept-entries.js'
import { KeptItems } from './kept-items.js'
import type { KeptResponse } from './kept-response.js'
import { OwnersWork } from './owners-work.js'
import { after, takeOff, valuesOf } from './path.js'
import type {
  Append,
  AppendResult,
  ConversationIndex,
  FinishedResponse,
  FoundLineage,
  FoundResponse,
  NewResponse,
  OpenResult,
  ResponseEnd,
  ResponseStore,
} from './store.js'

/**
 * Limits of a store in memory. Above them, whole conversations are evicted, the least recently used first; never one
 * with a running response, and the last one only if it alone exceeds them and has more than one response.
 */
export interface MemoryStoreOptions {
  /** Responses. Default 10,000. */
  readonly responses?: number
  /** Items of all conversations, each counted once. Default 200,000. */
  readonly items?: number
  /**
   * Entries of all responses, about one per token: without them, a response can still be retrieved, but not streamed
   * again. Default 1,000,000.
   */
  readonly entries?: number
  /**
   * Bytes of all responses and entries, by an estimate (`bytes-of.ts`). Entries of finished responses are evicted
   * first. Default 268,435,456: 256 MiB.
   */
  readonly bytes?: number
  /** How long a conversation is kept after its last use, in seconds. Default 86,400: a day. */
  readonly seconds?: number
  /** A clock in seconds that nobody sets, for leases and ages. Default: the time since the process's start. */
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

/** A store whose bytes count towards a budget of the whole process, which may reclaim them. */
export interface MemoryStore extends ResponseStore {
  /** Its named conversations. */
  readonly conversations: ConversationIndex
  /**
   * The size of finished responses, by an estimate: running ones are counted by their service. On demand it evicts
   * dispensable data: entries, the oldest first, then whole conversations, the least recently used first. Nothing of a
   * conversation with a running response.
   */
  readonly memory: Reclaimable
}

/**
 * Creates a store in this process's memory, bounded and expiring. It does not survive a restart; use another kind of
 * store for that.
 *
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { loadTokenTable } from 'harmony-responses'
 * import { createResponsesApp } from 'harmony-responses/server'
 * import { createMemoryStore } from 'harmony-responses/stores'
 * import { answer, scriptedEngine } from 'harmony-responses/testing'
 *
 * const app = createResponsesApp({
 *   engine: scriptedEngine(() => answer('Hi!')),
 *   tokenTable: await loadTokenTable(),
 *   store: createMemoryStore({ seconds: 3600 }),
 * })
 * ```
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  checkOptions('createMemoryStore', options, MEMORY_STORE_OPTIONS)
  const { responses = 10_000, items = 200_000, entries = 1_000_000, bytes = 268_435_456, seconds = 86_400 } = options
  const { clock = steadySeconds } = options
  const kept = new Map<string, KeptResponse>()
  const found = new KeptItems()
  /** What is done for each item of a response: counting, finding and removing it. */
  const background = new OwnersWork()
  const times = { seconds, clock }
  const conversations = new Conversations<KeptResponse>(times, forget)
  const written = new KeptEntries(conversations)
  const named = new KeptConversations()
  /** The responses with a key. */
  const keys = new Map<string, KeptResponse>()
  /** The running responses, few of all that are kept. */
  const running = new Set<KeptResponse>()
  const approvals = new Expiring<true>(items, times)
  const listeners = new Set<() => void>()
  let reportedBytes = 0

  function overBytes(): number {
    return allBytes() - written.runningBytes
  }

  function allBytes(): number {
    return conversations.bytes + named.bytes
  }

  /** Called last, when the state is consistent: a listener may reclaim. */
  function tell(): void {
    if (overBytes() === reportedBytes) return
    reportedBytes = overBytes()
    for (const listener of listeners) listener()
  }

  function own(responseId: string, owner: string): KeptResponse | undefined {
    conversations.expire()
    const response = kept.get(responseId)
    return response?.owner === owner && !response.isDeleted ? response : undefined
  }

  /** Returns a response and marks it as used. */
  function used(responseId: string, owner: string): KeptResponse | undefined {
    const response = own(responseId, owner)
    if (response !== undefined) conversations.use(response)
    return response
  }

  function wake(response: KeptResponse): void {
    // Without a copy: nearly every entry of a response has no other reader.
    if (response.readers.size === 0) return
    for (const resolve of [...response.readers]) resolve()
  }

  /** Hides a deleted response, which stays only as a part of its conversation. */
  function hide(response: KeptResponse): void {
    written.evict(response)
    forgetItems(response)
    forgetKey(response)
    named.forget(response)
    running.delete(response)
  }

  function remove(response: KeptResponse): void {
    hide(response)
    conversations.delete(response)
    wake(response)
  }

  function forgetItems({ responseId, owner }: KeptResponse): void {
    background.do(owner, found.forget(responseId))
  }

  function forget(response: KeptResponse): void {
    written.forget(response)
    forgetItems(response)
    forgetKey(response)
    named.forget(response)
    running.delete(response)
    response.isDeleted = true
    if (response.place !== undefined && response.children === 0) takeOff(response.place)
    kept.delete(response.responseId)
    wake(response)
  }

  /** Deletes the response's key, which would otherwise block a repeated request until it expires. */
  function forgetKey(response: KeptResponse): void {
    if (response.key !== undefined) keys.delete(JSON.stringify([response.owner, response.key.key]))
    response.key = undefined
  }

  function mayConsume(approvalRequestIds: readonly string[], owner: string): boolean {
    return approvalRequestIds.every((id) => !approvals.get(JSON.stringify([owner, id])) && !found.isConsumed(id, owner))
  }

  function consume(approvalRequestIds: readonly string[], owner: string): void {
    for (const id of approvalRequestIds) {
      // An item that is used again is kept past the time limit of `approvals`, so its approval is noted with it too.
      found.consume(id, owner)
      approvals.set(JSON.stringify([owner, id]), true)
    }
  }

  function appendOne({ lease, at, entries: added, end: ending, leaseSeconds }: Append): AppendResult {
    const response = own(lease.responseId, lease.owner)
    const isHeld = response?.epoch === lease.epoch && response.finished === undefined
    if (response === undefined || !isHeld) return { state: 'lost' }
    if (response.count !== at) return { state: 'behind', count: response.count }
    response.leaseUntil = clock() + leaseSeconds
    if (added !== undefined) written.add(response, added)
    if (ending !== undefined) end(response, ending)
    wake(response)
    return { state: 'written' }
  }

  function end(response: KeptResponse, { finished, entries: whole, freesKey = false }: ResponseEnd): void {
    if (whole !== undefined) written.replace(response, whole)
    written.finish(response)
    response.finished = compacted(finished)
    response.place = after((response.previous as KeptResponse | undefined)?.place, response.finished)
    conversations.grow(response, { items: finished.added.length + finished.response.output.length })
    if (freesKey) forgetKey(response)
    named.end(response, isJoining(finished))
    running.delete(response)
    conversations.end(response)
    const later = background.do(response.owner, (work) => settle(response, finished, work))
    if (later === undefined) shrink()
    else {
      void later.then(() => {
        shrink()
        tell()
      })
    }
  }

  /** Counts a finished response, and lets its items be found. */
  function* settle(response: KeptResponse, finished: FinishedResponse, work: Work): Slices<void> {
    const bytes = yield* bytesOfFinished(response.finished as FinishedResponse, work)
    // It may have been evicted meanwhile, or deleted: then it is kept for those that continue it.
    if (kept.get(response.responseId) !== response) return
    conversations.grow(response, { bytes })
    if (!response.isDeleted) yield* found.keep(response, finished, work)
  }

  function shrink(): void {
    written.evictOldest(() => written.count > entries || allBytes() > bytes)
    while (conversations.finished > responses || found.size > items || allBytes() > bytes) {
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
    durability: 'none',
    memory: {
      get bytes() {
        return overBytes()
      },
      reclaim(neededBytes) {
        const before = overBytes()
        const limit = before - neededBytes
        written.evictOldest(() => overBytes() > limit)
        while (overBytes() > limit && conversations.idle > 0) conversations.forgetOldest()
        const freed = before - overBytes()
        tell()
        return freed
      },
      onChange(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },

    conversations: {
      async find(conversationId, owner) {
        conversations.expire()
        const found = named.find(conversationId, owner)
        if (found !== undefined) conversations.use(found.last)
        return found && foundConversation(found)
      },
      async update(conversationId, owner, facts) {
        const found = named.find(conversationId, owner)
        if (found === undefined) return false
        named.update(found, facts)
        tell()
        return true
      },
      async delete(conversationId, owner) {
        const found = named.find(conversationId, owner)
        if (found !== undefined) named.delete(found)
        tell()
        return found !== undefined
      },
    },

    async open(given: NewResponse): Promise<OpenResult> {
      const { responseId, owner, approvals: consumed = [], key, conversation: turn } = given
      // Whether an approval was given is noted with its item.
      if (consumed.length > 0) await background.of(owner)
      conversations.expire()
      if (kept.has(responseId)) return { state: 'exists' }
      const previous = given.previous === undefined ? undefined : own(given.previous, owner)
      if (given.previous !== undefined && previous?.finished === undefined) return { state: 'no_previous' }
      if (turn !== undefined && !named.mayOpen(turn, owner)) return { state: 'moved' }
      const keyed = key === undefined ? undefined : JSON.stringify([owner, key.key])
      const by = keyed === undefined ? undefined : keys.get(keyed)?.key
      if (by !== undefined) return { state: 'key_taken', by }
      if (!mayConsume(consumed, owner)) return { state: 'consumed' }
      consume(consumed, owner)
      const response = {
        responseId,
        owner,
        epoch: 1,
        leaseUntil: clock() + given.leaseSeconds,
        key: key && { ...key, responseId },
        count: 0,
        blocks: [],
        entryBytes: 0,
        finished: undefined,
        place: undefined,
        named: undefined,
      }
      const member = { previous: undefined, children: 0, isRunning: true, isDeleted: false, items: 0, bytes: 0 }
      const opened = { ...response, ...member, readers: new Set<() => void>() } as Omit<
        KeptResponse,
        'conversation'
      > as KeptResponse
      kept.set(responseId, opened)
      running.add(opened)
      if (keyed !== undefined) keys.set(keyed, opened)
      conversations.begin(opened, previous)
      if (turn !== undefined) named.open(turn, opened)
      written.add(opened, given.entries)
      if (written.count > entries || allBytes() > bytes) shrink()
      tell()
      return { state: 'opened', lease: { responseId, owner, epoch: 1 } }
    },

    async append(appends) {
      const appended = appends.map(appendOne)
      if (written.count > entries || allBytes() > bytes) shrink()
      tell()
      return appended
    },

    async claim({ responseId, owner, leaseSeconds, isForced = false }) {
      const response = own(responseId, owner)
      if (response === undefined || response.finished !== undefined) return undefined
      if (!isForced && response.leaseUntil > clock()) return undefined
      response.epoch += 1
      response.leaseUntil = clock() + leaseSeconds
      return { lease: { responseId, owner, epoch: response.epoch }, count: response.count }
    },

    async expired(max) {
      const now = clock()
      const over = [...running].filter(({ leaseUntil }) => leaseUntil <= now)
      over.sort((one, other) => one.leaseUntil - other.leaseUntil)
      return over.slice(0, max).map(({ responseId, owner }) => ({ responseId, owner }))
    },

    async find(responseId, owner): Promise<FoundResponse | undefined> {
      const response = used(responseId, owner)
      if (response === undefined) return undefined
      const { finished } = response
      return finished === undefined ? { state: 'running' } : { state: 'finished', finished }
    },

    async lineage(responseId, owner): Promise<FoundLineage | undefined> {
      const response = used(responseId, owner)
      if (response === undefined) return undefined
      const { finished, previous } = response
      const responses = valuesOf(response.place ?? (previous as KeptResponse | undefined)?.place)
      return { state: finished === undefined ? 'running' : 'finished', responses }
    },

    async findItem(itemId, owner) {
      const waiting = background.of(owner)
      if (waiting !== undefined) await waiting
      conversations.expire()
      const item = found.find(itemId, owner)
      if (item !== undefined) used(item.responseId, owner)
      return item
    },

    async findKey(key, owner) {
      conversations.expire()
      return keys.get(JSON.stringify([owner, key]))?.key
    },

    async entries(responseId, owner, from = 0) {
      const response = used(responseId, owner)
      return response?.blocks === undefined ? undefined : followBlocks(response, response.blocks, from)
    },

    async delete(responseId, owner) {
      const response = own(responseId, owner)
      if (response !== undefined) remove(response)
      tell()
      return response !== undefined
    },

    async consumeApprovals(approvalRequestIds, owner) {
      await background.of(owner)
      if (!mayConsume(approvalRequestIds, owner)) return false
      consume(approvalRequestIds, owner)
      return true
    },
  }
}
