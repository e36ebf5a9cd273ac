import type { Batch } from '../../core/responses/batch.js'
import type { ResponseStreamEvent } from '../../core/responses/events.js'
import { deferred } from '../flow/deferred.js'
import type { Write } from '../flow/queue.js'
import { terminalResponse } from '../respond/terminal.js'
import type { KeptResponse } from '../stores/store.js'
import { type Reader, readerOf } from './reader.js'
import type { CallWatch } from './service/limits/call-watch.js'

/** The events of a response whose status is not sent yet. */
export interface HeldEvents extends Reader<Batch> {
  /**
   * Resolves when the status is certain: to the response if it failed before its client could be shown anything of it.
   *
   * @throws the error of the events, if they fail before that
   */
  refused(): Promise<KeptResponse | undefined>
}

/**
 * Holds the events with which a response begins until the engine has taken the first call of the model. A client that is
 * sent a 200 and then `response.failed` does not try again; one that is refused does.
 *
 * Listings of MCP servers are held, too; a call that the host runs is not: it must not run again because of a retry.
 *
 * @param signal - aborts when the client leaves
 */
export function holdEvents(events: AsyncIterable<Batch>, calls: CallWatch, signal: AbortSignal): HeldEvents {
  const reader = readerOf(events)
  const held: Batch[] = []
  const certain = deferred<void>()
  const released = deferred<void>()
  let isCertain = false
  let outcome: { readonly refused: KeptResponse } | { readonly error: unknown } | undefined
  let sink: Write<Batch> | undefined
  let reading: Promise<void> = Promise.resolve()

  function decide(): void {
    isCertain = true
    certain.resolve()
  }

  /** Every batch passes here: without a promise, once they are released. */
  function take(batch: Batch): void | PromiseLike<void> {
    if (sink !== undefined) return sink(batch)
    held.push(batch)
    const ended = terminalResponse(batch)
    const isShown = !(ended === undefined ? batch : batch.slice(0, -1)).every(isOpening)
    if (!isCertain && !isShown && (ended?.status === 'failed' || ended?.status === 'cancelled')) {
      outcome = { refused: ended }
    }
    if (isShown || ended !== undefined) decide()
    // Nothing more is made before these are sent, so they are few.
    return isCertain && outcome === undefined ? released.promise : undefined
  }

  async function leave(): Promise<void> {
    released.resolve()
    await reader.leave()
  }

  return {
    async refused() {
      reading = reader.drainTo(take)
      reading.then(decide, (error: unknown) => {
        if (!isCertain) outcome = { error }
        decide()
      })
      signal.addEventListener('abort', decide)
      if (signal.aborted) decide()
      calls.firstTaken().then(decide)
      await certain.promise
      signal.removeEventListener('abort', decide)
      if (outcome === undefined) return undefined
      if ('error' in outcome) throw outcome.error
      return outcome.refused
    },
    async drainTo(write) {
      try {
        // More may be held while a slow client takes these.
        for (let batch = held.shift(); batch !== undefined; batch = held.shift()) {
          const written = write(batch)
          if (written !== undefined) await written
        }
      } catch (error) {
        leave().catch(() => {})
        throw error
      }
      sink = write
      released.resolve()
      await reading
    },
    leave,
  }
}

/** Whether an event shows nothing yet that the model or a tool did. */
function isOpening(event: ResponseStreamEvent): boolean {
  switch (event.type) {
    case 'error':
    case 'response.created':
    case 'response.queued':
    case 'response.in_progress':
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
