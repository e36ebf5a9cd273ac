import type { ResponseStreamEvent } from '../../responses/events.js'
import type { ResponseWriter } from './writer.js'

type Batch = readonly ResponseStreamEvent[]
type Step = IteratorResult<Batch, undefined>

/** The events of a response, which its one reader pulls: what it does not read is not made. */
export interface PulledEvents {
  readonly events: AsyncGenerator<Batch, undefined>
  /** Makes the rest without waiting for the reader, who may have stopped reading: call it when the rest is short. */
  finish(): void
}

/**
 * An iterator by hand, since every token passes it.
 *
 * @param leave - called when the reader leaves before the end. The rest is made without it, so that the end is kept
 */
export function pulledEvents(writer: ResponseWriter, leave: () => void): PulledEvents {
  let isLeft = false
  let rest: Promise<AsyncIterator<Batch, undefined>> | undefined

  const isOver = (): boolean => isLeft || (rest === undefined && writer.isOver)

  function finish(): void {
    if (rest !== undefined || isOver()) return
    rest = afterPending(() => allOf(writer))
    // Its reader may never come for it.
    rest.catch(() => {})
  }

  /** The writer answers one at a time. */
  async function afterPending<T>(run: () => Promise<T>): Promise<T> {
    await writer.pending?.catch(() => {})
    return await run()
  }

  function close(): void {
    if (isOver()) return
    isLeft = true
    leave()
    afterPending(async () => drain(writer)).catch(() => {})
  }

  // Newer types have a way to dispose it as well, which nobody uses here.
  const events = {
    [Symbol.asyncIterator]: (): AsyncGenerator<Batch, undefined> => events,
    next(): Promise<Step> {
      if (isOver()) return Promise.resolve(OVER)
      if (rest !== undefined) return rest.then((batches) => batches.next())
      return writer.pending === undefined ? writer.next() : afterPending(() => events.next())
    },
    async return(): Promise<Step> {
      const waiting = writer.pending
      close()
      await waiting?.catch(() => {})
      return OVER
    },
    async throw(error: unknown): Promise<Step> {
      close()
      throw error
    },
  } as unknown as AsyncGenerator<Batch, undefined>
  return { events, finish }
}

const OVER: Step = { done: true, value: undefined }

/** Makes events that nobody reads. */
export function drain(events: AsyncIterable<Batch>): void {
  const run = async (): Promise<void> => {
    for await (const _ of events);
  }
  // Its errors were reported where they were caught.
  run().catch(() => {})
}

async function allOf(events: AsyncIterable<Batch>): Promise<AsyncIterator<Batch, undefined>> {
  const all: Batch[] = []
  for await (const batch of events) all.push(batch)
  return (async function* () {
    yield* all
    return undefined
  })()
}
