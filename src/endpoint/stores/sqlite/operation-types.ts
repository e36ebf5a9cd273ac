import type {
  Appended,
  Claim,
  Claimed,
  EntryBlock,
  ExpiredResponse,
  KeyedResponse,
  Lease,
  NewResponse,
  Opening,
  StoredBlock,
} from '../store.js'

/* The store's requests to its worker, and their results. Content is bytes here, which may be encrypted. */

/** An item of a finished response. */
export interface Part {
  readonly itemId: string | null
  readonly isOutput: boolean
  readonly bytes: Uint8Array
}

/** A finished response without its items, and its items. */
export interface Became {
  readonly head: Uint8Array
  readonly parts: readonly Part[]
}

export interface AppendRow {
  readonly lease: Lease
  readonly at: number
  readonly entries: EntryBlock | undefined
  readonly end:
    | { readonly became: Became; readonly entries: EntryBlock | undefined; readonly freesKey: boolean }
    | undefined
  readonly leaseSeconds: number
}

export interface FoundRow {
  readonly state: 'running' | 'finished'
  readonly responses: readonly (Became & { readonly responseId: string })[]
}

export interface FoundPart {
  readonly responseId: string
  readonly isOutput: boolean
  readonly bytes: Uint8Array
}

export interface FoundBlocks {
  readonly blocks: readonly StoredBlock[]
  readonly isOver: boolean
}

export interface Bounds {
  readonly seconds: number
  readonly ownerBytes: number
}

/** The operations that can be requested, by name. `now` is the store's clock, in seconds. */
export interface Operations {
  open(response: NewResponse, now: number): Opening
  append(appends: readonly AppendRow[], now: number): readonly Appended[]
  claim(claim: Claim, now: number): Claimed | undefined
  expired(most: number, now: number): readonly ExpiredResponse[]
  find(responseId: string, owner: string, now: number): FoundRow | undefined
  lineage(responseId: string, owner: string, now: number): FoundRow | undefined
  findItem(itemId: string, owner: string, now: number): FoundPart | undefined
  findKey(key: string, owner: string): KeyedResponse | undefined
  entries(responseId: string, owner: string, from: number, now: number): FoundBlocks | undefined
  delete(responseId: string, owner: string): boolean
  consumeApprovals(ids: readonly string[], owner: string, now: number): boolean
  backup(file: string): void
}
