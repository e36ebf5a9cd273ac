import type { Batch } from '../../../../core/responses/batch.js'
import { type Queue, queue, type Write } from '../../../flow/queue.js'
import { terminalResponse } from '../../../respond/terminal.js'
import { bytesOf } from '../../../stores/bytes-of.js'

/**
 * The maximum number of batches that a reader may be behind. Beyond it, the reader reads the rest from the store. More
 * than one, since a reader begins after its first batches.
 */
const MAX_BEHIND = 64
/** The maximum size of these batches together, in bytes: one may hold a whole answer or the output of a tool. */
const MAX_BEHIND_BYTES = 1_048_576

export interface LiveEventsOptions {
  /**
   * Reads the events after a sequence number from the store: for a reader that is behind, or whose writer has stopped.
   */
  readonly later: (after: number) => Promise<AsyncGenerator<Batch>>
  /** Called once, when the reader has read all events or has left. */
  readonly onLeave: () => void
}

/**
 * The events for the first reader of a response that does not wait for its readers. They are passed on as their writer
 * shows them, so that they need not be derived from the entries a second time. A slow reader does not slow the writer,
 * and little is buffered for it: a reader that falls behind reads from the store.
 */
export class LiveEvents {
  readonly events = queue(
    (write: Write<Batch>) => this.#run(write),
    () => this.#leave(),
  ) as Queue<Batch, void>
  readonly #options: LiveEventsOptions
  /** The latest batch while the reader is not behind. */
  #last: Batch = []
  /** The batches that were shown and that the reader has not taken. */
  #pending: { readonly batch: Batch; readonly bytes: number }[] = []
  #pendingBytes = 0
  /** The sequence number of the last event that was taken. */
  #taken = -1
  #isBehind = false
  #isOver = false
  #hasLeft = false
  /** Gives the waiting reader a batch. Undefined while it takes one. */
  #write: Write<Batch> | undefined
  /** Wakes the reader that waits, or takes a batch that did not come from the buffer. */
  #wake: (() => void) | undefined
  #source: AsyncGenerator<Batch> | undefined

  constructor(options: LiveEventsOptions) {
    this.#options = options
  }

  /** Passes on the batch that was just shown. */
  push(batch: Batch): void {
    if (this.#isBehind || this.#hasLeft) return
    this.#last = batch
    const write = this.#write
    if (write === undefined) {
      this.#keep(batch)
      return
    }
    // Written in the step that makes it, as for a reader that its writer waits for.
    const written = this.#take(write, batch)
    if (written === undefined) return
    this.#write = undefined
    const wake = this.#wake
    written.then(() => wake?.())
  }

  /** The response has ended, or this process no longer produces it. */
  end(): void {
    this.#isOver = true
    this.#wake?.()
  }

  #keep(batch: Batch): void {
    const bytes = bytesOf(batch)
    this.#pendingBytes += bytes
    this.#isBehind = this.#pending.length >= MAX_BEHIND || this.#pendingBytes > MAX_BEHIND_BYTES
    if (this.#isBehind) this.#pending = []
    else this.#pending.push({ batch, bytes })
  }

  #take(write: Write<Batch>, batch: Batch): void | PromiseLike<void> {
    this.#taken = batch.at(-1)?.sequence_number ?? this.#taken
    return write(batch)
  }

  async #run(write: Write<Batch>): Promise<void> {
    try {
      await this.#readLive(write)
      const isWhole = !this.#isBehind && terminalResponse(this.#last) !== undefined
      if (this.#hasLeft || isWhole) return
      const source = await this.#options.later(this.#taken)
      this.#source = source
      // The reader may have left meanwhile.
      if (this.#hasLeft) await source.return(undefined)
      else for await (const batch of source) await write(batch)
    } finally {
      this.#leave()
    }
  }

  /** Reads until the reader is behind or leaves, or the writer has stopped. */
  async #readLive(write: Write<Batch>): Promise<void> {
    while (!this.#hasLeft) {
      for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) {
        this.#pendingBytes -= next.bytes
        await this.#take(write, next.batch)
      }
      if (this.#isBehind || this.#isOver || this.#hasLeft) return
      this.#write = write
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#wake = undefined
      this.#write = undefined
    }
  }

  #leave(): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    this.#pending = []
    this.#wake?.()
    // Not awaited: it may be waiting for an entry.
    this.#source?.return(undefined).catch(() => {})
    this.#options.onLeave()
  }
}
