import { bytesOfBlock } from './bytes-of.js'
import type { Conversations } from './conversations.js'
import type { KeptResponse } from './kept-response.js'
import type { EntryBlock } from './store.js'

/** The entries of all responses in memory: how many they are, how large, and which are evicted first. */
export class KeptEntries {
  readonly #conversations: Conversations<KeptResponse>
  /** Finished responses with entries, the oldest first. */
  readonly #replayable = new Set<KeptResponse>()
  #count = 0
  #runningBytes = 0

  /** @param conversations - which count the bytes */
  constructor(conversations: Conversations<KeptResponse>) {
    this.#conversations = conversations
  }

  get count(): number {
    return this.#count
  }

  /** The size of entries of running responses. */
  get runningBytes(): number {
    return this.#runningBytes
  }

  /** Adds entries to a running response. */
  add(response: KeptResponse, { count, bytes }: EntryBlock): void {
    if (count === 0) return
    const block = { at: response.count, count, bytes }
    response.blocks?.push(block)
    response.count += count
    const size = bytesOfBlock(block)
    response.entryBytes += size
    this.#runningBytes += size
    this.#conversations.grow(response, { bytes: size })
    this.#count += count
  }

  /** Replaces all entries of a running response. */
  replace(response: KeptResponse, whole: EntryBlock): void {
    this.evict(response)
    response.count = 0
    response.blocks = whole.count === 0 ? undefined : []
    this.add(response, whole)
  }

  /** Evicts the entries of a response, which can be retrieved, but not streamed again. */
  evict(response: KeptResponse): void {
    this.#conversations.grow(response, { bytes: -response.entryBytes })
    if (response.finished === undefined) this.#runningBytes -= response.entryBytes
    this.forget(response)
    response.blocks = undefined
    response.entryBytes = 0
  }

  /** Evicts entries of finished responses, the oldest first. */
  evictOldest(isTooMuch: () => boolean): void {
    for (const response of this.#replayable) {
      if (!isTooMuch()) return
      this.evict(response)
    }
  }

  /** Called just before a response is finished. */
  finish(response: KeptResponse): void {
    this.#runningBytes -= response.entryBytes
    if (response.blocks !== undefined) this.#replayable.add(response)
  }

  /** Counts the entries of a response no longer, whose conversation counts their bytes. */
  forget(response: KeptResponse): void {
    this.#count -= response.blocks === undefined ? 0 : response.count
    this.#replayable.delete(response)
  }
}
