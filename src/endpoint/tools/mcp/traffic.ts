import { memoryOf } from './memory-of.js'
import { MAX_MESSAGE_BYTES } from './message-reader.js'

/** The limit of notifications, requests and unwanted answers between two answers that are wanted. More are a flood. */
const MAX_UNASKED = 10_000
/** The limit of bytes between two answers that are wanted: comments and lines that are no messages count as well. */
const MAX_UNASKED_BYTES = 10 * MAX_MESSAGE_BYTES
/**
 * How many are forgotten with each second: both limits within the longest call, ten minutes. The pings of a server that
 * nobody asks anything would otherwise reach them after days.
 */
const FORGOTTEN_A_SECOND = 16
const FORGOTTEN_BYTES_A_SECOND = 174_762
/** What each line counts of it at least, whatever its length: to refuse one takes as long as to read some kilobytes. */
const LINE_BYTES = 4096
/** The limit of the memory of messages for the server that it has not read, with the requests that they answer. */
const MAX_UNREAD_BYTES = 4 * MAX_MESSAGE_BYTES
/** What each of them counts of it at least: a promise, a listener, perhaps a socket. */
const UNREAD_BYTES = 16_384
/** The limit of messages that have begun to arrive on all streams, together, in bytes. */
const MAX_UNFINISHED_BYTES = 4 * MAX_MESSAGE_BYTES

interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
}

/**
 * Counts what one connection to a server holds, in both directions. Beyond a limit it calls `onExcess`, once: nothing
 * of the server may be read any more.
 */
export class Traffic {
  readonly #onExcess: (error: Error) => void
  /** The ids of our requests that wait for an answer. */
  readonly #asked = new Set<unknown>()
  /** The memory of the server's requests that are not answered yet, by their ids, which it may use twice. */
  readonly #requests = new Map<unknown, number[]>()
  readonly #now: () => number
  #unasked = 0
  #unaskedBytes = 0
  /** When the last of both was counted. */
  #countedAt: number
  #unread = 0
  #unfinished = 0
  #isOver = false

  /** @param now - a monotonic clock, in milliseconds */
  constructor(onExcess: (error: Error) => void, now: () => number = () => performance.now()) {
    this.#onExcess = onExcess
    this.#now = now
    this.#countedAt = now()
  }

  /** Whether a limit was exceeded. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Counts bytes that arrived, and the lines that ended in them. */
  arrived(bytes: number, lines: number): void {
    this.#forget()
    this.#unaskedBytes += bytes + lines * LINE_BYTES
    if (this.#unaskedBytes > MAX_UNASKED_BYTES) {
      this.exceed(new Error(`The server sent more than ${MAX_UNASKED_BYTES} bytes in a row that answer nothing.`))
    }
  }

  /**
   * Counts more or fewer bytes of unfinished messages.
   *
   * @throws Error if all of them together are too many
   */
  hold(bytes: number): void {
    this.#unfinished += bytes
    if (bytes <= 0 || this.#unfinished <= MAX_UNFINISHED_BYTES) return
    throw new Error(`Unfinished messages of the server have more than ${MAX_UNFINISHED_BYTES} bytes together.`)
  }

  /** Counts a message that arrived. */
  received({ id, method, params }: Message): void {
    if (method === undefined && this.#asked.delete(id)) {
      this.#unasked = 0
      this.#unaskedBytes = 0
      return
    }
    this.#forget()
    this.#unasked += 1
    if (this.#unasked > MAX_UNASKED) {
      this.exceed(new Error(`The server sent more than ${MAX_UNASKED} messages in a row that answer nothing.`))
    } else if (method === 'notifications/cancelled') this.#add(-(this.#requestOf(requestIdIn(params)) ?? 0))
    else if (method !== undefined && id !== undefined) this.#open(id, params)
  }

  /** Counts a message to the server. @returns has to be called when the server has taken it, or never will */
  sending(message: Message): (isSent: boolean) => void {
    const { id, method, params } = message
    if (method === 'notifications/cancelled') this.#asked.delete(requestIdIn(params))
    else if (method !== undefined && id !== undefined) this.#asked.add(id)
    // An answer ends when it is taken; until then, the SDK keeps the request as well.
    const request = method === undefined ? this.#requestOf(id) : undefined
    const bytes = UNREAD_BYTES + memoryOf(message, MAX_UNREAD_BYTES)
    this.#add(bytes)
    return (isSent) => {
      this.#add(-bytes - (request ?? 0))
      // The id of an answer is the server's, which may be that of a request of ours as well.
      if (!isSent && method !== undefined) this.#asked.delete(id)
    }
  }

  exceed(error: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#onExcess(error)
  }

  #forget(): void {
    const now = this.#now()
    const seconds = (now - this.#countedAt) / 1000
    this.#countedAt = now
    this.#unasked = Math.max(0, this.#unasked - seconds * FORGOTTEN_A_SECOND)
    this.#unaskedBytes = Math.max(0, this.#unaskedBytes - seconds * FORGOTTEN_BYTES_A_SECOND)
  }

  #open(id: unknown, params: unknown): void {
    const bytes = UNREAD_BYTES + memoryOf([id, params], MAX_UNREAD_BYTES)
    const known = this.#requests.get(id)
    if (known === undefined) this.#requests.set(id, [bytes])
    else known.push(bytes)
    this.#add(bytes)
  }

  /** Takes the first request of this id. */
  #requestOf(id: unknown): number | undefined {
    const known = this.#requests.get(id)
    const bytes = known?.shift()
    if (known?.length === 0) this.#requests.delete(id)
    return bytes
  }

  #add(bytes: number): void {
    this.#unread += bytes
    if (this.#unread <= MAX_UNREAD_BYTES) return
    this.exceed(new Error(`The server has left more than ${MAX_UNREAD_BYTES} bytes of messages unread.`))
  }
}

function requestIdIn(params: unknown): unknown {
  return (Object(params) as { readonly requestId?: unknown }).requestId
}
