import type { Reclaimable } from '../byte-budget.js'
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

/** Some entries of a response, which only their writer reads: `count` of them, as bytes. */
export interface EntryBlock {
  readonly count: number
  readonly bytes: Uint8Array
}

/** A block where it stands: `at` entries come before it. */
export interface StoredBlock extends EntryBlock {
  readonly at: number
}

/** The right to write a response, which one process has at a time, until it expires by the store's clock. */
export interface Lease {
  readonly responseId: string
  readonly owner: string
  /** Rises with every claim. Writes under a lease of an older epoch are refused. */
  readonly epoch: number
}

/** A request that is sent again is recognized by its key. */
export interface RequestKey {
  /** The `Idempotency-Key`. */
  readonly key: string
  /** Of the request's body: a key belongs to one body. */
  readonly digest: string
}

/** The response that has a key. */
export interface KeyedResponse extends RequestKey {
  readonly responseId: string
}

/** A response that begins, with all that begins with it: in one step, or not at all. */
export interface NewResponse {
  readonly responseId: string
  /** The owner of the response. No other owner can find it. */
  readonly owner: string
  /** The response that it goes on from, if the store has it. */
  readonly previous?: string
  /** Its first entries. */
  readonly entries: EntryBlock
  /** The approval requests whose calls it runs. None of them may have been consumed before; then all are. */
  readonly approvals?: readonly string[]
  /** The key of its request, which no other response of the owner's may have. It goes with the response. */
  readonly key?: RequestKey
  /** How long the lease lasts. 0: it has expired already. */
  readonly leaseSeconds: number
}

/** What became of a new response. Only an opened one changes anything. */
export type Opening =
  | { readonly state: 'opened'; readonly lease: Lease }
  /** The id is known, also as that of a deleted response that others go on from. */
  | { readonly state: 'exists' }
  /** `previous` is not a response of this owner's that is over and not deleted. */
  | { readonly state: 'no_previous' }
  /** Another response has the key. */
  | { readonly state: 'key_taken'; readonly by: KeyedResponse }
  /** One of the approvals was consumed before. */
  | { readonly state: 'consumed' }

/** How a response ends. */
export interface Ending {
  /** The finished response. */
  readonly finished: FinishedResponse
  /**
   * All of its entries in one block, which takes the place of those that were appended. Absent: they stay as they are.
   * With `count` 0 none are kept.
   */
  readonly entries?: EntryBlock
  /** Whether the key of its request is free again: the client lost it, and may send it once more. */
  readonly freesKey?: boolean
}

/** What one writer adds to its response. */
export interface Append {
  readonly lease: Lease
  /** How many entries the writer knows of. */
  readonly at: number
  /** None: the lease is renewed, and the writer learns whether it is right about the index and the lease. */
  readonly entries?: EntryBlock
  /** The response is over, once the entries are written: nothing is appended afterwards. */
  readonly end?: Ending
  /** How long the lease lasts from now on. 0: it is given up, for another process to claim. */
  readonly leaseSeconds: number
}

/**
 * What became of an append: `written`; or nothing of it was done. `behind` says how many entries there are where the
 * writer is wrong about that alone; `lost` that the lease is not the latest, or the response is over, deleted or unknown.
 */
export type Appended =
  | { readonly state: 'written' }
  | { readonly state: 'behind'; readonly count: number }
  | { readonly state: 'lost' }

/** A response of the store: what it became, or that it is being written. */
export type FoundResponse =
  | { readonly state: 'running' }
  | { readonly state: 'finished'; readonly finished: FinishedResponse }

/** A response with those that it goes on from. */
export interface FoundLineage {
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
  /** Whether a response produced it. Items from clients are untrusted. */
  readonly isOutput: boolean
}

/** A response whose lease has expired. */
export interface ExpiredResponse {
  readonly responseId: string
  readonly owner: string
}

/** Who asks for a lease that another one has. */
export interface Claim {
  readonly responseId: string
  readonly owner: string
  readonly leaseSeconds: number
  /** Whether a lease is taken that has not expired: the response is to be cancelled or deleted. Default: false. */
  readonly isForced?: boolean
}

/** A lease that was claimed, and how many entries there are. */
export interface Claimed {
  readonly lease: Lease
  readonly count: number
}

/**
 * What a store survives: `none`, not the end of this process; `process`, the end of every process that uses it; `power`,
 * that of the machine, too.
 */
export type Durability = 'none' | 'process' | 'power'

/**
 * Keeps responses, by the entries that went into them. Every method but `expired` is about one owner: what belongs to another
 * is as if it did not exist. What is given is bytes and plain JSON, which no caller changes afterwards, and what is found may be a
 * copy.
 *
 * **Conversations.** Responses that go on from each other are a tree. Each keeps what it added; what came before is found
 * by walking to the root, `lineage`. There is no cycle, since a response is opened after the one that it goes on from is
 * over. Finding a response, its lineage, its entries or an item of its renews the whole tree. What a store forgets by itself,
 * because of its age or for want of room, it forgets by whole trees, the least recently used first, and none in which a
 * response is running. The entries of a response that is over may go before.
 *
 * **Deletion.** What was deleted is not found, neither by its id nor by those of its items, and nothing goes on from it. What
 * it added stays as long as a response is there that goes on from it, and goes with the last of these.
 *
 * **Leases.** One process writes a response: the one with the latest lease. A lease lasts for as long as its last append
 * said, by the store's clock. Any process may claim one that has expired, and so go on with the response.
 *
 * A store may fail; what it throws reaches the host's `onError`, and the client a neutral error. What it has
 * acknowledged it keeps until the response expires or is deleted.
 */
export interface ResponseStore {
  readonly durability: Durability
  /** What it keeps in this process, for the budget of the process to count. Absent if it keeps it elsewhere. */
  readonly memory?: Reclaimable
  open(response: NewResponse): Promise<Opening>
  /**
   * Appends to many responses in one step. Each is done whole or not at all, and whether one is done depends on no other of
   * them. A response is at most once among them.
   *
   * @returns what became of each, in the order of the appends
   */
  append(appends: readonly Append[]): Promise<readonly Appended[]>
  /**
   * A lease that replaces the one before it; undefined if the response is unknown or over, or the lease has not expired
   * and the claim is not forced.
   */
  claim(claim: Claim): Promise<Claimed | undefined>
  /** Responses of all owners that are running without a lease that lasts: those that expired first, at most so many. */
  expired(most: number): Promise<readonly ExpiredResponse[]>
  find(responseId: string, owner: string): Promise<FoundResponse | undefined>
  /** The conversation of a response. Undefined where `find` finds nothing. Time and memory are linear in its length. */
  lineage(responseId: string, owner: string): Promise<FoundLineage | undefined>
  findItem(itemId: string, owner: string): Promise<FoundItem | undefined>
  /** The response that has a key. */
  findKey(key: string, owner: string): Promise<KeyedResponse | undefined>
  /**
   * The entries of a response from one index on, in the blocks in which they are kept: all that are there in the first array,
   * and then each as any process appends it, until the response is over or the reader leaves. The first block
   * may begin before the index. Undefined if the response is unknown, or its entries have expired.
   */
  entries(responseId: string, owner: string, from?: number): Promise<AsyncIterable<readonly StoredBlock[]> | undefined>
  /** Whether there was such a response. One that is being written is deleted too, and its writer refused. */
  delete(responseId: string, owner: string): Promise<boolean>
  /**
   * True if none of these was consumed before: now all are, in one step. For responses that are not opened here. A store
   * knows an approval for as long as it can find the item of the request.
   */
  consumeApprovals(approvalRequestIds: readonly string[], owner: string): Promise<boolean>
}

/** A writer that is not the writer any more, or not where it thinks. It has to stop. */
export class StoreConflict extends Error {
  override readonly name = 'StoreConflict'
}
