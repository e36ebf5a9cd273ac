import { type Channel, channel, type Write } from '../../channel.js'
import type { ResponseBatches } from '../../respond/index.js'
import { terminalResponse } from '../../respond/terminal.js'
import type { ResponseStreamEvent } from '../../responses/events.js'
import type { ResponseObject } from '../../responses/response.js'
import { ReportedError } from './reported-error.js'

type Batch = readonly ResponseStreamEvent[]

export interface WriterOptions {
  /** What came before it was known that there is a response. */
  readonly first: Batch
  /** What comes after it. */
  readonly batches: ResponseBatches
  /** Keeps the response before its end is shown: its reader may ask for it at once. */
  readonly keep: (response: ResponseObject, transcript: readonly number[]) => void
  readonly onError: (error: unknown) => void
  /**
   * The rest of a response that could not be written: its last events, kept by now, or what is told of it until they are; or
   * the events of another process, which writes it now. Undefined if there is nothing that may be shown. Never rejects.
   *
   * @param shown - the sequence number of the last event that was shown, -1 if none was
   */
  readonly recover: (error: unknown, shown: number) => Promise<Batch | AsyncIterable<Batch> | undefined>
  /** Called once, however it ends. */
  readonly onEnd: () => void
  /** Called once after that, when its reader has read the end, or left. */
  readonly onClosed: () => void
  /** Called when the reader leaves before the end. The rest is made without it, so that the end is kept. */
  readonly onLeave: () => void
}

/** The batches of one response, for its one reader: what it does not read is not made. It is kept before the last one. */
export function createWriter(options: WriterOptions): Channel<Batch, void> {
  const { first, batches, keep, onError, recover, onEnd, onClosed, onLeave } = options
  const writeAll = async (write: Write<Batch>): Promise<void> => {
    let held: { readonly batch: Batch; readonly response: ResponseObject } | undefined
    let shown = -1
    const show = (batch: Batch): void | PromiseLike<void> => {
      shown = batch.at(-1)?.sequence_number ?? shown
      return write(batch)
    }
    const showOrHold = (batch: Batch): void | PromiseLike<void> => {
      const response = terminalResponse(batch)
      if (response === undefined) return show(batch)
      held = { batch, response }
    }
    let last: Batch | AsyncIterable<Batch> | undefined
    try {
      if (first.length > 0) await showOrHold(first)
      const transcript = await batches.drainTo(showOrHold)
      if (held !== undefined) keep(held.response, transcript)
      last = held?.batch
    } catch (error) {
      onError(error)
      last = await recover(error, shown)
      if (last === undefined) throw new ReportedError('the response could not be written')
    } finally {
      onEnd()
    }
    if (last === undefined) return
    if (Symbol.asyncIterator in last) for await (const batch of last) await write(batch)
    else await write(last)
  }
  const run = (to: Write<Batch>): Promise<void> => writeAll(to).finally(onClosed)
  // The response has begun, so it is ended and kept, whether anybody reads it or not.
  return channel<Batch, void>(run, onLeave, { runsAnyway: true })
}
