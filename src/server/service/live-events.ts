import { type Queue, queue, type Write } from '../../queue.js'
import { terminalResponse } from '../../respond/terminal.js'
import type { ResponseStreamEvent } from '../../responses/events.js'
import { bytesOf } from '../../stores/bytes-of.js'

type Batch = readonly ResponseStreamEvent[]

/**
 * How many batches a reader may be behind before it reads the rest from the store. The first ones are made before it begins
 * to read.
 */
const MOST_BEHIND = 64
/** How many bytes these batches may take together, since one may hold a whole answer or the output of a tool. */
const MOST_BEHIND_BYTES = 1_048_576

/** The first reader of a response that waits for no reader. */
export interface LiveEvents {
  readonly events: Queue<Batch, void>
  /** Gives it what was just shown. */
  push(batch: Batch): void
  /** The response has ended, or this process no longer produces it. */
  end(): void
}

export interface LiveEventsOptions {
  /** The events behind one sequence number, from the store: for a reader that is behind, or whose writer has stopped. */
  readonly later: (after: number) => Promise<AsyncGenerator<Batch>>
  /** Called once, when the reader has all or wants no more. */
  readonly onLeave: () => void
}

/**
 * Events as their writer shows them, so that they are not made of the entries a second time. Its writer is not slowed by the
 * reader, and holds little for it: what the reader has not taken is read from the store when it is wanted.
 */
export function createLiveEvents({ later, onLeave }: LiveEventsOptions): LiveEvents {
  /** The latest that was shown to a reader that is not behind. */
  let last: Batch = []
  /** Shown, and not taken. */
  let pending: { readonly batch: Batch; readonly bytes: number }[] = []
  let pendingBytes = 0
  /** The sequence number of the last event that was taken. */
  let taken = -1
  let isBehind = false
  let isOver = false
  let hasLeft = false
  let write: Write<Batch> | undefined
  /** Wakes the reader that waits for an event. Undefined while the reader takes one. */
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
      // It may have left meanwhile.
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
      // In the step in which it is made, as for a reader that its writer waits for.
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
      isBehind = pending.length >= MOST_BEHIND || pendingBytes > MOST_BEHIND_BYTES
      if (isBehind) pending = []
      else pending.push({ batch, bytes })
    },
    end() {
      isOver = true
      wake?.()
    },
  }
}
