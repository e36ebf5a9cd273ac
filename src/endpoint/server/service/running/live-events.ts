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

/** The events for the first reader of a response that does not wait for its readers. */
export interface LiveEvents {
  readonly events: Queue<Batch, void>
  /** Passes on the batch that was just shown. */
  push(batch: Batch): void
  /** Called when the response has ended, or this process no longer produces it. */
  end(): void
}

export interface LiveEventsOptions {
  /**
   * Reads the events after a sequence number from the store: for a reader that is behind, or whose writer has stopped.
   */
  readonly later: (after: number) => Promise<AsyncGenerator<Batch>>
  /** Called once, when the reader has read all events or has left. */
  readonly onLeave: () => void
}

/**
 * Passes events on as their writer shows them, so that they need not be derived from the entries a second time. A slow
 * reader does not slow the writer, and little is buffered for it: a reader that falls behind reads from the store.
 */
export function createLiveEvents({ later, onLeave }: LiveEventsOptions): LiveEvents {
  /** The latest batch while the reader is not behind. */
  let last: Batch = []
  /** The batches that were shown and that the reader has not taken. */
  let pending: { readonly batch: Batch; readonly bytes: number }[] = []
  let pendingBytes = 0
  /** The sequence number of the last event that was taken. */
  let taken = -1
  let isBehind = false
  let isOver = false
  let hasLeft = false
  let write: Write<Batch> | undefined
  /** Wakes the waiting reader. Undefined while it takes a batch. */
  let wake: (() => void) | undefined
  let source: AsyncGenerator<Batch> | undefined

  function take(to: Write<Batch>, batch: Batch): void | PromiseLike<void> {
    taken = batch.at(-1)?.sequence_number ?? taken
    return to(batch)
  }

  const leave = (): void => {
    if (hasLeft) return
    hasLeft = true
    pending = []
    wake?.()
    // Not awaited: it may be waiting for an entry.
    source?.return(undefined).catch(() => {})
    onLeave()
  }

  async function run(to: Write<Batch>): Promise<void> {
    try {
      while (!hasLeft) {
        for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
          pendingBytes -= next.bytes
          await take(to, next.batch)
        }
        if (isBehind || isOver || hasLeft) break
        write = to
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        wake = undefined
        write = undefined
      }
      const isWhole = !isBehind && terminalResponse(last) !== undefined
      if (hasLeft || isWhole) return
      source = await later(taken)
      // The reader may have left meanwhile.
      if (hasLeft) await source.return(undefined)
      else for await (const batch of source) await to(batch)
    } finally {
      leave()
    }
  }

  return {
    events: queue(run, leave) as Queue<Batch, void>,
    push(batch) {
      if (isBehind || hasLeft) return
      last = batch
      // Written in the step that makes it, as for a reader that its writer waits for.
      if (write !== undefined) {
        const written = take(write, batch)
        if (written === undefined) return
        write = undefined
        const wakeReader = wake
        written.then(() => wakeReader?.())
        return
      }
      const bytes = bytesOf(batch)
      pendingBytes += bytes
      isBehind = pending.length >= MAX_BEHIND || pendingBytes > MAX_BEHIND_BYTES
      if (isBehind) pending = []
      else pending.push({ batch, bytes })
    },
    end() {
      isOver = true
      wake?.()
    },
  }
}
