import type {
  AppendResult,
  Claim,
  ClaimedLease,
  EntryBlock,
  ExpiredResponse,
  KeyedResponse,
  Lease,
  NewResponse,
  OpenResult,
  StoredBlock,
} from '../store.js'
import type { Turn } from './fair-queue.js'
import type { Stamped } from './known-responses.js'
import type { PackedParts } from './packed-parts.js'
import type { DeletedOwner, StoreStatus } from './store-status.js'

/* What a store asks of its database, and the answers. Content is bytes here, which may be encrypted. */

/** A finished response without its items, and its items. */
export interface Became {
  readonly head: Uint8Array
  readonly parts: PackedParts
}

/** A turn in a named conversation, with what is kept about it as bytes. */
export interface NamedTurn {
  readonly conversationId: string
  readonly last: string | undefined
  readonly facts: Uint8Array | undefined
}

export interface NewRow extends Omit<NewResponse, 'conversation'> {
  readonly turn: NamedTurn | undefined
}

export interface FoundNamed {
  readonly facts: Uint8Array
  readonly last: string
  readonly open: string | undefined
}

export interface AppendRow {
  readonly lease: Lease
  readonly at: number
  readonly entries: EntryBlock | undefined
  readonly end:
    | {
        readonly became: Became
        readonly entries: EntryBlock | undefined
        readonly freesKey: boolean
        /** Whether it becomes the last one of the named conversation that it was opened in. */
        readonly joins: boolean
      }
    | undefined
  readonly leaseSeconds: number
}

/** A response of the database: see `KnownResponses`. */
export interface StampedRow extends Stamped {
  /** Its row. */
  readonly rid: number
}

/** A finished response, with its content. */
export interface FinishedRow extends StampedRow, Became {}

/** An append, and, if it ended the response, the row that it wrote and that which this one continues. */
export interface AppendedRow {
  readonly appended: AppendResult
  readonly ended?: { readonly row: StampedRow; readonly previous: StampedRow | undefined }
}

/** A response. `content` is absent if it is running, or its stamp is the given one. */
export type FoundRow =
  | { readonly state: 'running' }
  | { readonly state: 'finished'; readonly row: StampedRow; readonly content: Became | undefined }

/** A conversation: its response, and the last finished one in it. */
export interface FoundTip {
  readonly state: 'running' | 'finished'
  readonly tip: StampedRow
  readonly last: StampedRow | undefined
}

/** A part of a conversation. */
export interface Climbed {
  /** The last one first. */
  readonly rows: readonly FinishedRow[]
  /** The one that these continue; undefined if they begin the conversation. */
  readonly next: StampedRow | undefined
}

export interface FoundPart {
  readonly responseId: string
  readonly isOutput: boolean
  readonly bytes: Uint8Array
}

export interface FoundBlocks {
  readonly blocks: readonly StoredBlock[]
  /** Whether these are all present ones. */
  readonly isAll: boolean
  readonly isOver: boolean
  /** How many entries there are, also if some were lost. Absent in a database that loses none. */
  readonly count?: number
}

/** What was deleted of an owner in one step. */
export interface OwnersRows extends DeletedOwner {
  /** Whether nothing of the owner is left. */
  readonly isAll: boolean
}

/** What the store asks of its database, by name: each in one step. The time is the database's own, or the caller adds it. */
export interface Operations {
  open(response: NewRow): OpenResult
  append(appends: readonly AppendRow[]): readonly AppendedRow[]
  claim(claim: Claim): ClaimedLease | undefined
  expired(max: number): readonly ExpiredResponse[]
  /** @param known - the stamp of the response that needs no content */
  find(responseId: string, owner: string, known: string | undefined): FoundRow | undefined
  lineage(responseId: string, owner: string): FoundTip | undefined
  /**
   * Reads a part of a conversation, from a response towards the first one.
   *
   * @param tip - its response; undefined is returned if that has been deleted since
   * @param max - the maximum number of responses
   */
  climb(tip: StampedRow, from: StampedRow['rid'], max: number): Climbed | undefined
  findItem(itemId: string, owner: string): FoundPart | undefined
  findKey(key: string, owner: string): KeyedResponse | undefined
  /** Reads a part of the entries of a response. */
  entries(responseId: string, owner: string, from: number): FoundBlocks | undefined
  delete(responseId: string, owner: string): boolean
  consumeApprovals(ids: readonly string[], owner: string): boolean
  findNamed(id: string, owner: string): FoundNamed | undefined
  updateNamed(id: string, owner: string, facts: Uint8Array): boolean
  deleteNamed(id: string, owner: string): boolean
  status(): StoreStatus
  /** @param max - the maximum number of conversations */
  deleteOwner(owner: string, max: number): OwnersRows
}

/** The operations, which are answered later. */
export type LaterOperations = {
  readonly [Name in keyof Operations]: (...given: Parameters<Operations[Name]>) => Promise<ReturnType<Operations[Name]>>
}

/** Runs an operation in its turn. */
export type Call = <Name extends keyof Operations>(
  turn: Turn,
  name: Name,
  ...given: Parameters<Operations[Name]>
) => Promise<ReturnType<Operations[Name]>>
