import type { Reclaimable } from '../byte-budget.js'
import type { Entry } from '../journal/entry.js'
import type { HistoryEntry } from '../prompt/history.js'
import type { InputItem } from '../responses/input-items.js'
import type { ResponseObject } from '../responses/response.js'

/** A response as it is kept: what was sent, with the states that only a server has. */
export type KeptResponse = Omit<ResponseObject, 'status'> & {
  readonly status: ResponseObject['status'] | 'cancelled'
}

/** A response that is over: what it added to its conversation, and nothing of what came before it. Plain JSON. */
export interface FinishedResponse {
  /** As it was sent. */
  readonly response: KeptResponse
  /** The items that it was sent, without its output. Each has an id. */
  readonly added: readonly InputItem[]
  /**
   * What it knows of the tokens of its items, its own transcript last, so that the next prompt begins with the same ones.
   * It is given with plain arrays of ids, and may be found with typed ones.
   */
  readonly history: readonly HistoryEntry[]
}

/** The right to write a response, which one process has at a time. */
export interface Lease {
  readonly responseId: string
  readonly owner: string
  /** Rises with every claim. What a lease of an older epoch writes is refused. */
  readonly epoch: number
}

export interface NewResponse {
  readonly responseId: string
  /** Whose response it is. Nobody else finds it. */
  readonly owner: string
  /** `store: false`: only who streams it finds it, and nothing of it may be durable. */
  readonly isTransient: boolean
  /** The response that it goes on from, if the store has it. */
  readonly previous?: string
}

/** A response of the store: what it became, or that it is being written. */
export type FoundResponse = { readonly isTransient: boolean } & (
  | { readonly state: 'running' }
  | { readonly state: 'finished'; readonly finished: FinishedResponse }
)

/** A response with those that it goes on from. */
export interface FoundLineage {
  readonly isTransient: boolean
  readonly state: FoundResponse['state']
  /**
   * The first one of the conversation first, and the response itself last, once it is over. Those that were deleted since
   * are among them: the response was made of them.
   */
  readonly responses: readonly FinishedResponse[]
}

/** An item of the store. */
export interface FoundItem {
  readonly item: InputItem
  /** The latest response that added it, or gave it. */
  readonly responseId: string
  /** Whether a response gave it. What a client sent says what the client likes. */
  readonly isOutput: boolean
}

/** A request that is sent again is recognized by its key. */
export interface KeyedRequest {
  readonly owner: string
  /** The `Idempotency-Key`. */
  readonly key: string
  /** Of the request's body: a key belongs to one body. */
  readonly digest: string
  readonly responseId: string
}

/**
 * Keeps responses, by the entries that went into them. Every method is about one owner: what belongs to another is as if
 * it did not exist.
 *
 * **Conversations.** Responses that go on from each other are a tree. Each keeps what it added; what came before is found
 * by walking to the root, `lineage`. There is no cycle, since a response is opened after the one that it goes on from is
 * over. Finding a response, its lineage, its entries or an item of its renews the whole tree. What a store forgets by itself,
 * because of its age or for want of room, it forgets by whole trees, the least recently used first, and none in which a
 * response is running. The entries of a response that is over may go before.
 *
 * **Deletion.** What was deleted is not found, neither by its id nor by those of its items, and nothing goes on from it. What
 * it added stays as long as a response is there that goes on from it, and goes with the last of these. One that
 * is transient counts only while it is running.
 *
 * A store may fail; what it throws reaches the host's `onError`, and the client a neutral error. What it has
 * acknowledged it keeps until the response expires or is deleted.
 */
export interface ResponseStore {
  /** What it keeps in this process, for the budget of the process to count. Absent if it keeps it elsewhere. */
  readonly memory?: Reclaimable
  /**
   * A new response.
   *
   * @throws StoreConflict if the id is known, also as that of a deleted response that others go on from; or if `previous`
   *   is not a response of this owner's that is over, is not deleted and is not transient
   */
  open(response: NewResponse): Promise<Lease>
  /**
   * Appends entries. Atomic: all of them or none. Where there are none to append, it only says whether the writer is right
   * about the index and the lease: a writer whose append failed finds out so whether it was done.
   *
   * @param at - how many entries the writer knows of
   * @throws StoreConflict if there are more or fewer, or the lease is not the latest
   */
  append(lease: Lease, at: number, entries: readonly Entry[]): Promise<void>
  /** Keeps what the response became. Nothing is appended afterwards. @throws StoreConflict */
  finish(lease: Lease, finished: FinishedResponse): Promise<void>
  /** Forgets a response that was refused before its first entry. */
  abandon(lease: Lease): Promise<void>
  /** A lease that replaces the one before it; undefined if the response is unknown or over. */
  claim(responseId: string, owner: string): Promise<Lease | undefined>
  find(responseId: string, owner: string): Promise<FoundResponse | undefined>
  /** The conversation of a response. Undefined where `find` finds nothing. Time and memory are linear in its length. */
  lineage(responseId: string, owner: string): Promise<FoundLineage | undefined>
  findItem(itemId: string, owner: string): Promise<FoundItem | undefined>
  /**
   * The entries of a response from one index on: those that are there, and then each as it is appended, until the
   * response is over or the reader leaves. Undefined if the response is unknown, or its entries have expired.
   */
  entries(responseId: string, owner: string, from?: number): Promise<AsyncIterable<readonly Entry[]> | undefined>
  /** Whether there was such a response. One that is being written is deleted too, and its writer refused. */
  delete(responseId: string, owner: string): Promise<boolean>
  /**
   * True if none of these was consumed before: now all are, in one step. An approved call runs once, so that a store
   * knows it for as long as it can find the item of the request.
   */
  consumeApprovals(approvalRequestIds: readonly string[], owner: string): Promise<boolean>
  /**
   * Keeps the key for the request, unless it is kept already: then answers with the request that has it, which may not
   * have begun yet. A key goes with its response.
   */
  reserveKey(request: KeyedRequest): Promise<KeyedRequest>
  /** Gives a key back whose request was refused before it began. */
  releaseKey(request: KeyedRequest): Promise<void>
}

/** A writer that is not the writer any more, or not where it thinks. It has to stop. */
export class StoreConflict extends Error {
  override readonly name = 'StoreConflict'
}
