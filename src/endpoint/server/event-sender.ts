import type { SseEvent, SseEvents } from '../../core/sse/index.js'
import type { ByteHold } from '../flow/byte-budget.js'
import { createFrameEncoder, type Encode, framesOf, KEEP_ALIVE, UNCOUNTED_BYTES, writeFrames } from './frames.js'
import { idleInterval } from './idle-interval.js'
import { type Reader, readerOf } from './reader.js'

/** The client of a stream, on whatever runtime. */
export interface Client {
  /** Writes a text. Returns 0, or the size of the text if the client is behind until {@link EventSender.caughtUp}. */
  write(text: string): number
  /** Cuts off a client that leaves too much unread: it has then left. */
  cutOff(): void
}

export interface SenderOptions {
  /** Encodes an event. Default: as server-sent events. */
  readonly encode?: Encode
  /**
   * The interval of keep-alives, in milliseconds: a comment is sent after this much silence, at the latest after twice
   * as much. Default 15,000; 0 sends none.
   */
  readonly keepAliveMs?: number
  /** Returns the text to send after `keepAliveMs` of silence. Default: a comment. */
  readonly keepAlive?: () => string
  /** Counts unread bytes; a client that leaves more unread than there is room for is cut off. */
  readonly unread?: ByteHold
}

/** Events that nothing has read, or whose reader waits for a sink. */
export type SentEvents = SseEvents | Reader<readonly SseEvent[]>

/** Sends events to a client at its pace: while it is behind, the response waits, down to its engine. */
export class EventSender {
  readonly #reader: Reader<SseEvent | readonly SseEvent[]>
  readonly #client: Client
  readonly #options: SenderOptions
  #hasLeft = false
  #isBehind = false
  #isSilent = true
  #timer: ReturnType<typeof setInterval> | undefined
  /** Resumes the events, which wait for the client. */
  #resume = (): void => {}

  constructor(events: SentEvents, client: Client, options: SenderOptions) {
    this.#reader = readerOf<SseEvent | readonly SseEvent[]>(events)
    this.#client = client
    this.#options = options
  }

  get hasLeft(): boolean {
    return this.#hasLeft
  }

  /** Sends all events. Resolves at their end, or when the client has left. @throws the error of the events */
  async send(): Promise<void> {
    const { encode = createFrameEncoder(), keepAliveMs = 15_000 } = this.#options
    if (keepAliveMs !== 0) this.#timer = idleInterval(this.#keepAlive, keepAliveMs)
    const writer = { write: (text: string) => this.#write(text), hasLeft: () => this.#hasLeft }
    await this.#reader.drainTo((sent) => {
      if (this.#hasLeft) return
      return writeFrames(Array.isArray(sent) ? framesOf(sent, encode) : encode(sent as SseEvent), writer)
    })
  }

  /** The client has read what it was sent. */
  readonly caughtUp = (): void => {
    const { unread } = this.#options
    this.#isBehind = false
    unread?.give(unread.bytes)
    this.#resume()
  }

  /** The client has left: nothing more is made. */
  readonly leave = (): void => {
    this.#hasLeft = true
    this.#resume()
    // Not awaited: a generator answers after its pending step.
    this.close().catch(() => {})
  }

  /** Sends no more. Resolves when the events have ended. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#options.unread?.end()
    await this.#reader.leave()
  }

  readonly #keepAlive = (): void => {
    const { keepAlive = () => KEEP_ALIVE } = this.#options
    if (this.#isSilent && !this.#isBehind) this.#write(keepAlive())
    this.#isSilent = true
  }

  /** Returns a promise if the client is behind, so that no unread events are made. */
  #write(text: string): Promise<void> | undefined {
    const { unread } = this.#options
    this.#isSilent = false
    const size = this.#client.write(text)
    if (size === 0) return undefined
    if (size > UNCOUNTED_BYTES && unread !== undefined && unread.take(size) !== 'taken') {
      this.#client.cutOff()
      return undefined
    }
    this.#isBehind = true
    return new Promise((resolve) => {
      this.#resume = resolve
    })
  }
}
