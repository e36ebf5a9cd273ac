import type { Batch } from '../../core/responses/batch.js'
import type { ResponseStreamEvent } from '../../core/responses/events.js'
import { deferred } from '../flow/deferred.js'
import type { Write } from '../flow/queue.js'
import { terminalResponse } from '../respond/terminal.js'
import type { KeptResponse } from '../stores/store.js'
import { type Reader, readerOf } from './reader.js'
import type { CallWatch } from './service/limits/call-watch.js'

/**
 * Holds the events with which a response begins until the engine has taken the first call of the model. A client that is
 * sent a 200 and then `response.failed` does not try again; one that is refused does.
 *
 * Listings of MCP servers are held, too; a call that the host runs is not: it must not run again because of a retry.
 */
export class HeldEvents implements Reader<Batch> {
  readonly #reader: Reader<Batch>
  readonly #held: Batch[] = []
  readonly #status = deferred<KeptResponse | undefined>()
  readonly #released = deferred<void>()
  #isCertain = false
  #sink: Write<Batch> | undefined
  #reading: Promise<void> = Promise.resolve()

  constructor(events: AsyncIterable<Batch>) {
    this.#reader = readerOf(events)
  }

  /**
   * Resolves when the status is certain: to the response if it failed before its client could be shown anything of it.
   *
   * @param signal - aborts when the client leaves
   * @throws the error of the events, if they fail before that
   */
  async refused(calls: CallWatch, signal: AbortSignal): Promise<KeptResponse | undefined> {
    const decide = (): void => this.#decide()
    this.#reading = this.#reader.drainTo(this.#take)
    this.#reading.then(decide, this.#status.reject)
    signal.addEventListener('abort', decide)
    if (signal.aborted) decide()
    calls.firstTaken().then(decide)
    return await this.#status.promise.finally(() => signal.removeEventListener('abort', decide))
  }

  async drainTo(write: Write<Batch>): Promise<void> {
    try {
      // More may be held while a slow client takes these.
      for (let batch = this.#held.shift(); batch !== undefined; batch = this.#held.shift()) {
        const written = write(batch)
        if (written !== undefined) await written
      }
    } catch (error) {
      this.leave().catch(() => {})
      throw error
    }
    this.#sink = write
    this.#released.resolve()
    await this.#reading
  }

  async leave(): Promise<void> {
    this.#released.resolve()
    await this.#reader.leave()
  }

  #decide(refused?: KeptResponse): void {
    this.#isCertain = true
    this.#status.resolve(refused)
  }

  /** Every batch passes here: without a promise, once they are released. */
  readonly #take: Write<Batch> = (batch) => {
    if (this.#sink !== undefined) return this.#sink(batch)
    this.#held.push(batch)
    const ended = terminalResponse(batch)
    const isShown = !batch.every(showsNothing)
    if (!this.#isCertain && !isShown && (ended?.status === 'failed' || ended?.status === 'cancelled')) {
      this.#decide(ended)
      return undefined
    }
    if (isShown || ended !== undefined) this.#decide()
    // Nothing more is made before these are sent, so they are few.
    return this.#isCertain ? this.#released.promise : undefined
  }
}

/** Whether an event shows nothing that the model or a tool did. */
function showsNothing(event: ResponseStreamEvent): boolean {
  switch (event.type) {
    case 'error':
    case 'response.created':
    case 'response.queued':
    case 'response.in_progress':
    case 'response.completed':
    case 'response.incomplete':
    case 'response.failed':
    case 'response.mcp_list_tools.in_progress':
    case 'response.mcp_list_tools.completed':
    case 'response.mcp_list_tools.failed':
      return true
    case 'response.output_item.added':
    case 'response.output_item.done':
      return event.item.type === 'mcp_list_tools'
    default:
      return false
  }
}
