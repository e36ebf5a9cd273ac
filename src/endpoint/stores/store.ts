import type { InputItem } from '../../core/responses/input-items.js'
import type { ResponseObject } from '../../core/responses/response.js'
import type { Reclaimable } from '../flow/byte-budget.js'
import type { HistoryEntry } from '../prompt/history.js'

/** A stored response: as its terminal event has it. */
export type KeptResponse = ResponseObject

/** A finished response: its own additions to its conversation, without its predecessors'. Plain JSON. */
export interface FinishedResponse {
  /** As it was sent. */
  readonly response: KeptResponse
  /** The input items of its request, without its output. Each has an id. */
  readonly added: readonly InputItem[]
  /**
   * Its record of the tokens of its items, its own transcript last, so that the next prompt begins with the same ones.
   * Written with plain arrays of ids; may be read with typed ones.
   */
  readonly history: readonly HistoryEntry[]
}

/** Entries of a response, which only their writer reads: `count` of them, as bytes. */
export interface EntryBlock {
  /** How many entries it holds. */
  readonly count: number
  /** The entries, in a form that only their writer reads. */
  readonly bytes: Uint8Array
}

/** A block with its position: `at` entries precede it. */
export interface StoredBlock extends EntryBlock {
  /** How many entries precede it. */
  readonly at: number
}

/** The right to write a response. One process has it at a time, until it expires by the store's clock. */
export interface Lease {
  /** The response that may be written. */
  readonly responseId: string
  /** The owner of the response. */
  readonly owner: string
  /** Rises with every claim. Writes under a lease of an older epoch are refused. */
  readonly epoch: number
}

/** Identifies a repeated request. */
export interface RequestKey {
  /** The `Idempotency-Key`. */
  readonly key: string
  /** A digest of the request's body: a key belongs to one body. */
  readonly digest: string
}

/** The response with a key. */
export interface KeyedResponse extends RequestKey {
  /** The id of the response. */
  readonly responseId: string
}

/** What is kept about a named conversation, beside its responses. Plain JSON. */
export interface ConversationFacts {
  /** Unix time in whole seconds. */
  readonly created_at: number
  /** As its client set it. */
  readonly metadata: { readonly [name: string]: string }
}

/** The named conversation that a response is opened in. */
export interface ConversationTurn {
  /** The id of the conversation. */
  readonly conversationId: string
  /** The response that is its last one now. Absent: the conversation begins with this response. */
  readonly last?: string
  /** What is kept about a conversation that begins. */
  readonly facts?: ConversationFacts
}

/** A named conversation of the store. */
export interface FoundConversation {
  /** What is kept about it. */
  readonly facts: ConversationFacts
  /** The id of its last response, whose lineage is the conversation. */
  readonly last: string
  /** The id of the running response that is open in it. */
  readonly open?: string
}

/** A new response, with all that is written in the same step: everything or nothing. */
export interface NewResponse {
  /** The id of the response, which no other has or had. */
  readonly responseId: string
  /** The owner of the response. No other owner can find it. */
  readonly owner: string
  /** The response that it continues, if the store has it. */
  readonly previous?: string
  /** The named conversation whose last response it becomes when it ends. Only in stores with `conversations`. */
  readonly conversation?: ConversationTurn
  /** Its first entries. */
  readonly entries: EntryBlock
  /**
   * The approval requests whose calls it runs. If any was consumed before, the opening fails; else all are consumed.
   */
  readonly approvals?: readonly string[]
  /** The key of its request, unique among the owner's responses. It is deleted with the response. */
  readonly key?: RequestKey
  /** How long the lease lasts. 0: it expires at once. */
  readonly leaseSeconds: number
}

/** The result of opening a response. Only an opened one changes anything. */
export type OpenResult =
  /** It was opened, under this lease. */
  | { readonly state: 'opened'; readonly lease: Lease }
  /** The id is known, possibly as that of a deleted response that others continue. */
  | { readonly state: 'exists' }
  /** `previous` is not a finished, undeleted response of this owner. */
  | { readonly state: 'no_previous' }
  /**
   * The conversation is not there, its last response is another one, or a response is open in it; or the one that would
   * begin is known.
   */
  | { readonly state: 'moved' }
  /** Another response has the key. */
  | { readonly state: 'key_taken'; readonly by: KeyedResponse }
  /** One of the approvals was consumed before. */
  | { readonly state: 'consumed' }

/** The end of a response. */
export interface ResponseEnd {
  /** The finished response. */
  readonly finished: FinishedResponse
  /**
   * All of its entries in one block, which replaces the appended ones. Absent: they stay. With `count` 0, none are
   * kept.
   */
  readonly entries?: EntryBlock
  /** Whether to free the key of its request: the client lost the response, and may send the request again. */
  readonly freesKey?: boolean
}

/** One writer's addition to its response. */
export interface Append {
  /** The writer's lease, which has to be the latest. */
  readonly lease: Lease
  /** The number of entries that the writer knows. */
  readonly at: number
  /** Absent: the append only renews the lease, and verifies the writer's index and lease. */
  readonly entries?: EntryBlock
  /** Ends the response, once the entries are written: nothing can be appended afterwards. */
  readonly end?: ResponseEnd
  /** The remaining time of the lease. 0: it is given up, for another process to claim. */
  readonly leaseSeconds: number
}

/**
 * The result of an append: `written`, or it had no effect. `behind` returns the number of entries if only the writer's
 * index is wrong; `lost`: the lease is not the latest, or the response is finished, deleted or unknown.
 */
export type AppendResult =
  | { readonly state: 'written' }
  /** Nothing was written. The response has `count` entries. */
  | { readonly state: 'behind'; readonly count: number }
  | { readonly state: 'lost' }

/** A response of the store: finished, or still running. */
export type FoundResponse =
  | { readonly state: 'running' }
  /** It has ended, as `finished` says. */
  | { readonly state: 'finished'; readonly finished: FinishedResponse }

/** A response with its predecessors. */
export interface FoundLineage {
  /** Whether the response itself has finished. */
  readonly state: FoundResponse['state']
  /**
   * From the first response of the conversation to the response itself, if it has finished. Includes predecessors that
   * were deleted since, because the response was made from them.
   */
  readonly responses: readonly FinishedResponse[]
}

/** An item of the store. */
export interface FoundItem {
  /** The item, with its id. */
  readonly item: InputItem
  /** The latest response that added or produced it. */
  readonly responseId: string
  /** Whether a response produced it. Items from clients are untrusted. */
  readonly isOutput: boolean
}

/** A response whose lease has expired. */
export interface ExpiredResponse {
  /** The id of the response. */
  readonly responseId: string
  /** The owner of the response. */
  readonly owner: string
}

/** A request for a lease that another process has. */
export interface Claim {
  /** The id of the response. */
  readonly responseId: string
  /** The owner of the response. */
  readonly owner: string
  /** How long the lease lasts. 0: it expires at once. */
  readonly leaseSeconds: number
  /**
   * Whether to take a lease that has not expired, because the response is to be cancelled or deleted. Default: false.
   */
  readonly isForced?: boolean
}

/** A claimed lease, and the number of entries. */
export interface ClaimedLease {
  /** The new lease. */
  readonly lease: Lease
  /** How many entries the response has. */
  readonly count: number
  /**
   * Whether the store may have lost entries after these, which were shown: the response can only be ended. Default: false.
   */
  readonly mayLack?: boolean
}

/**
 * The events that a store survives: `none`; `process`, the end of every process that uses it; `power`, also a power
 * failure of the machine.
 */
export type Durability = 'none' | 'process' | 'power'

/**
 * Stores responses as their entries. Every method except `expired` concerns one owner: another owner's data does not
 * exist for it. Arguments are bytes and plain JSON, which no caller changes afterwards; results may be copies.
 *
 * **Conversations.** Responses that continue each other form a tree. Each stores its own additions; `lineage` walks to
 * the root for the rest. There is no cycle, since a response is opened after its predecessor has finished. Finding a
 * response, its lineage, its entries or one of its items renews the whole tree. A store evicts whole trees, because of
 * age or for lack of space, the least recently used first, and none with a running response. It may evict the entries
 * of a finished response earlier.
 *
 * **Deletion.** A deleted response is not found, neither by its id nor by those of its items, and cannot be continued.
 * Its additions stay for the responses that continue it, and are deleted with the last of these.
 *
 * **Named conversations.** A name for a response, its last one, which moves on: while a response is open in a
 * conversation, no other opens in it. A response that ends as `completed` or `incomplete` becomes the last one, in the
 * same step; one that ends otherwise, or is deleted, leaves the conversation as it was. It is found once its first
 * response has become its last one, and no more once its last one is deleted or evicted.
 *
 * **Leases.** One process writes a response: the one with the latest lease. A lease lasts as long as its last append
 * requested, by the store's clock. Any process may claim an expired one, and continue the response.
 *
 * A store may fail: the host's `onError` receives its error, and the client a neutral one. It keeps acknowledged data
 * until the response expires or is deleted.
 */
export interface ResponseStore {
  /** What the store survives. */
  readonly durability: Durability
  /** The memory that it uses in this process, for the budget to count. Absent if it stores its data elsewhere. */
  readonly memory?: Reclaimable
  /** Its named conversations. Absent: it has none, and the endpoint refuses requests for them. */
  readonly conversations?: ConversationIndex
  /** Opens a response, with its first entries, in one step. */
  open(response: NewResponse): Promise<OpenResult>
  /**
   * Appends to many responses in one step. Each append is atomic and independent of the others. A response occurs at
   * most once.
   *
   * @returns the result of each, in order
   */
  append(appends: readonly Append[]): Promise<readonly AppendResult[]>
  /**
   * Takes over a lease; undefined if the response is unknown or finished, or the lease has not expired and the claim is
   * not forced.
   */
  claim(claim: Claim): Promise<ClaimedLease | undefined>
  /** Lists at most `max` running responses of all owners whose lease has expired, in order of expiry. */
  expired(max: number): Promise<readonly ExpiredResponse[]>
  /** Returns a response; undefined if this owner has none with the id. */
  find(responseId: string, owner: string): Promise<FoundResponse | undefined>
  /**
   * Returns the conversation of a response. Undefined if `find` finds nothing. Takes time and memory linear in its
   * length.
   */
  lineage(responseId: string, owner: string): Promise<FoundLineage | undefined>
  /** Returns an item of a finished response; undefined if this owner has none with the id. */
  findItem(itemId: string, owner: string): Promise<FoundItem | undefined>
  /** Returns the response with a key. */
  findKey(key: string, owner: string): Promise<KeyedResponse | undefined>
  /**
   * Yields the entries of a response from an index on, in the blocks in which they are stored: all present ones in the
   * first array, and then each as any process appends it, until the response ends or the reader leaves. The first block
   * may begin before the index. Undefined if the response is unknown, or its entries have expired.
   */
  entries(responseId: string, owner: string, from?: number): Promise<AsyncIterable<readonly StoredBlock[]> | undefined>
  /** Deletes a response, also a running one, whose writer is then refused. Returns whether it existed. */
  delete(responseId: string, owner: string): Promise<boolean>
  /**
   * Consumes approvals in one step, and returns true, unless one of them was consumed before. For responses that are
   * not opened here. A store remembers an approval as long as it can find the item of the request.
   */
  consumeApprovals(approvalRequestIds: readonly string[], owner: string): Promise<boolean>
}

/** The named conversations of a store. Each method concerns one owner. */
export interface ConversationIndex {
  /** Returns a conversation, and renews its tree; undefined if this owner has none with the id. */
  find(conversationId: string, owner: string): Promise<FoundConversation | undefined>
  /** Replaces what is kept about a conversation. Returns whether it exists. */
  update(conversationId: string, owner: string, facts: ConversationFacts): Promise<boolean>
  /** Deletes the name: its responses stay, and one that is open in it goes on. Returns whether it existed. */
  delete(conversationId: string, owner: string): Promise<boolean>
}

/**
 * Thrown to a writer that has lost its response or its place in it, and has to stop.
 *
 * @example
 * ```ts
 * import { StoreConflict } from 'harmony-responses/stores'
 *
 * async function append(write: () => Promise<void>): Promise<void> {
 *   try {
 *     await write()
 *   } catch (error) {
 *     if (!(error instanceof StoreConflict)) throw error
 *     console.warn('another process has taken over the response')
 *   }
 * }
 * ```
 */
export class StoreConflict extends Error {
  override readonly name = 'StoreConflict'
}
