import { accumulateResponse } from 'openai/lib/responses/ResponseAccumulator'
import { accumulateResponse as accumulateResponse6 } from 'openai-6/lib/responses/ResponseAccumulator'
import type { ResponseStreamEvent } from '../../src/responses/events.js'

export type Accumulate = (event: never, snapshot?: never) => unknown

/** What the SDK makes of a stream, without the keys it adds itself. */
export function accumulated(accumulate: Accumulate, events: readonly ResponseStreamEvent[]): unknown {
  let snapshot: unknown
  for (const event of events) {
    // The raw SDK stream throws at `error`, as it does on the real wire; the accumulator is for what is behind it.
    if (event.type !== 'error') snapshot = accumulate(structuredClone(event) as never, snapshot as never)
  }
  return JSON.parse(JSON.stringify(snapshot), (key, value) =>
    key === 'output_text' || key === 'parsed' ? undefined : value,
  )
}

/** Those of openai 7.55 and 6.49. */
export const ACCUMULATORS: readonly [Accumulate, Accumulate] = [
  accumulateResponse as unknown as Accumulate,
  accumulateResponse6 as unknown as Accumulate,
]
