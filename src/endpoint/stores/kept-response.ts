import type { Member } from './conversations.js'
import type { PathEnd } from './path.js'
import type { ConversationFacts, FinishedResponse, KeyedResponse, StoredBlock } from './store.js'

/** A named conversation in memory. */
export interface NamedConversation {
  readonly name: string
  facts: ConversationFacts
  /** Undefined until its first response has ended. */
  last: KeptResponse | undefined
  open: KeptResponse | undefined
}

/** A response in memory. */
export interface KeptResponse extends Member {
  readonly responseId: string
  readonly owner: string
  epoch: number
  /** By the clock. */
  leaseUntil: number
  key: KeyedResponse | undefined
  /** The number of entries, including evicted ones. */
  count: number
  /** Undefined once evicted. */
  blocks: StoredBlock[] | undefined
  entryBytes: number
  finished: FinishedResponse | undefined
  /** Its place in its conversation, once it has finished. */
  place: PathEnd<FinishedResponse> | undefined
  /** The named conversation that it was opened in. */
  named: NamedConversation | undefined
  /** Callbacks of readers that wait for an entry or the end. */
  readonly readers: Set<() => void>
}
