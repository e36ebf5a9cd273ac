import { Expiring } from '../flow/expiring.js'

/** A response in its conversation. */
export interface Member {
  /** The response that it continues. */
  previous: Member | undefined
  /** The number of responses that continue it. */
  children: number
  conversation: Conversation
  isRunning: boolean
  /** Whether its owner has deleted it. It stays for the responses that continue it. */
  isDeleted: boolean
  items: number
  bytes: number
}

/** A tree of responses that continue each other. */
export interface Conversation {
  /** A key that no other conversation has had. */
  readonly key: string
  readonly members: Set<Member>
  running: number
  items: number
  bytes: number
}

/**
 * The conversations of a store. They are evicted as wholes: the least recently used first, and none with a running
 * response. A deleted response is evicted with the last one that continues it.
 */
export class Conversations<Kept extends Member> {
  /**
   * The conversations without a running response, the least recently used first. There are never more than responses.
   */
  readonly #idle: Expiring<Conversation>
  readonly #onForget: (response: Kept) => void
  #made = 0
  #size = 0
  #running = 0
  #bytes = 0

  /** @param onForget - called with each evicted response, deleted or not */
  constructor(times: { readonly seconds: number; readonly clock: () => number }, onForget: (response: Kept) => void) {
    this.#onForget = onForget
    this.#idle = new Expiring(Number.POSITIVE_INFINITY, times, (conversation) => this.#forget(conversation))
  }

  /** The number of finished responses, including deleted ones that are kept for others. */
  get finished(): number {
    return this.#size - this.#running
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The number of conversations without a running response. */
  get idle(): number {
    return this.#idle.size
  }

  /** The least recently used of those. */
  get oldest(): Conversation | undefined {
    return this.#idle.oldest
  }

  /** Adds a response that is about to run. */
  begin(response: Kept, previous: Kept | undefined): void {
    if (previous !== undefined) {
      response.previous = previous
      previous.children += 1
    }
    this.#join(response, previous?.conversation ?? this.#new())
  }

  /** Creates an empty conversation. */
  #new(): Conversation {
    this.#made += 1
    return { key: String(this.#made), members: new Set(), running: 0, items: 0, bytes: 0 }
  }

  /** Adjusts the size of a response. */
  grow(response: Kept, { bytes = 0, items = 0 }: { readonly bytes?: number; readonly items?: number }): void {
    response.bytes += bytes
    response.items += items
    response.conversation.bytes += bytes
    response.conversation.items += items
    this.#bytes += bytes
  }

  /** Ends a response. */
  end(response: Kept): void {
    response.isRunning = false
    response.conversation.running -= 1
    this.#running -= 1
    this.use(response)
  }

  /** Marks the conversation of a response as used. */
  use({ conversation }: Member): void {
    if (conversation.running === 0) this.#idle.set(conversation.key, conversation)
  }

  /** Deletes the response for its owner. */
  delete(response: Kept): void {
    response.isDeleted = true
    this.#prune(response)
  }

  /** Evicts expired conversations. */
  expire(): void {
    this.#idle.expire()
  }

  forgetOldest(): void {
    this.#idle.dropOldest()
  }

  #join(response: Kept, conversation: Conversation): void {
    response.conversation = conversation
    conversation.members.add(response)
    conversation.bytes += response.bytes
    conversation.items += response.items
    this.#bytes += response.bytes
    this.#size += 1
    if (!response.isRunning) return
    conversation.running += 1
    this.#running += 1
    this.#idle.delete(conversation.key)
  }

  /** @returns the response that it continued */
  #leave(response: Kept): Kept | undefined {
    const { conversation, previous } = response
    conversation.members.delete(response)
    conversation.bytes -= response.bytes
    conversation.items -= response.items
    this.#bytes -= response.bytes
    this.#size -= 1
    if (response.isRunning) {
      conversation.running -= 1
      this.#running -= 1
    }
    response.previous = undefined
    if (previous !== undefined) previous.children -= 1
    if (conversation.members.size === 0) this.#idle.delete(conversation.key)
    else this.use(response)
    return previous as Kept | undefined
  }

  /**
   * Evicts a deleted response without continuations, and then each predecessor that is deleted and has no other
   * continuation.
   */
  #prune(response: Kept | undefined): void {
    let last = response
    while (last?.isDeleted && last.children === 0) {
      const previous = this.#leave(last)
      this.#onForget(last)
      last = previous
    }
  }

  #forget({ members }: Conversation): void {
    for (const response of members as Iterable<Member> as Iterable<Kept>) {
      this.#bytes -= response.bytes
      this.#size -= 1
      this.#onForget(response)
    }
  }
}
