import { Expiring } from './expiring.js'

/** A response as a part of its conversation. */
export interface Member {
  /** The one that it goes on from. */
  previous: Member | undefined
  /** How many go on from it. */
  children: number
  conversation: Conversation
  isRunning: boolean
  /** Whether it is deleted for its owner. It stays for the responses that go on from it. */
  isDeleted: boolean
  items: number
  bytes: number
}

/** Responses that go on from each other: a tree. */
export interface Conversation {
  /** Its own, which no other has had. */
  readonly key: string
  readonly members: Set<Member>
  running: number
  items: number
  bytes: number
}

/**
 * The conversations of a store. They are forgotten as wholes: the least recently used first, and none in which a response
 * is running. A deleted response is forgotten with the last one that goes on from it.
 */
export class Conversations<Kept extends Member> {
  /** Those in which nothing is running, the least recently used first. There are never more than responses. */
  readonly #idle: Expiring<Conversation>
  readonly #onForget: (response: Kept) => void
  #made = 0
  #size = 0
  #running = 0
  #bytes = 0

  /** @param onForget - called with each response that is forgotten, deleted or not */
  constructor(times: { readonly seconds: number; readonly clock: () => number }, onForget: (response: Kept) => void) {
    this.#onForget = onForget
    this.#idle = new Expiring(Number.POSITIVE_INFINITY, times, (conversation) => this.#forget(conversation))
  }

  /** How many responses are over, those that were deleted and are kept for others among them. */
  get finished(): number {
    return this.#size - this.#running
  }

  get bytes(): number {
    return this.#bytes
  }

  /** How many conversations there are in which nothing is running. */
  get idle(): number {
    return this.#idle.size
  }

  /** The least recently used of those. */
  get oldest(): Conversation | undefined {
    return this.#idle.oldest
  }

  /** A response that is about to run. */
  begin(response: Kept, previous: Kept | undefined): void {
    if (previous !== undefined) {
      response.previous = previous
      previous.children += 1
    }
    this.#join(response, previous?.conversation ?? this.#new())
  }

  /** A conversation that nothing belongs to yet. */
  #new(): Conversation {
    this.#made += 1
    return { key: String(this.#made), members: new Set(), running: 0, items: 0, bytes: 0 }
  }

  /** The response has become larger, or smaller. */
  grow(response: Kept, { bytes = 0, items = 0 }: { readonly bytes?: number; readonly items?: number }): void {
    response.bytes += bytes
    response.items += items
    response.conversation.bytes += bytes
    response.conversation.items += items
    this.#bytes += bytes
  }

  /** The response is over. */
  end(response: Kept): void {
    response.isRunning = false
    response.conversation.running -= 1
    this.#running -= 1
    this.use(response)
  }

  /** Somebody asks for the response. */
  use({ conversation }: Member): void {
    if (conversation.running === 0) this.#idle.set(conversation.key, conversation)
  }

  /** Deletes the response for its owner. */
  delete(response: Kept): void {
    response.isDeleted = true
    this.#prune(response)
  }

  /** Forgets what was not used for too long. */
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

  /** @returns the one that it went on from */
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

  /** Forgets a deleted response that nothing goes on from, and then those before it of which the same is true. */
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
