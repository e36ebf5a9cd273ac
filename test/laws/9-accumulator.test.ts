import fc from 'fast-check'
import { accumulateResponse } from 'openai/lib/responses/ResponseAccumulator'
import { accumulateResponse as accumulateResponse6 } from 'openai-6/lib/responses/ResponseAccumulator'
import { expect, test } from 'vitest'
import type { ResponseStreamEvent } from '../../src/responses/events.js'
import { chunkPlan, cutChunks } from '../support/arbitraries.js'
import { anyStream, endReason, RUNS, run, runBroken } from './streams.js'

type Accumulate = (event: never, snapshot?: never) => unknown

/** What the SDK makes of a stream, without the keys it adds itself. */
function accumulated(accumulate: Accumulate, events: readonly ResponseStreamEvent[]): unknown {
  let snapshot: unknown
  for (const event of events) {
    // The raw SDK stream throws at `error`, as it does on the real wire; the accumulator is for what is behind it.
    if (event.type !== 'error') snapshot = accumulate(structuredClone(event) as never, snapshot as never)
  }
  return JSON.parse(JSON.stringify(snapshot), (key, value) =>
    key === 'output_text' || key === 'parsed' ? undefined : value,
  )
}

const versions: [string, Accumulate][] = [
  ['7.55', accumulateResponse as unknown as Accumulate],
  ['6.49', accumulateResponse6 as unknown as Accumulate],
]

test.each(versions)('the accumulator of openai %s over our events equals our response', (_, accumulate) => {
  fc.assert(
    fc.property(
      anyStream(),
      chunkPlan(),
      endReason,
      fc.constantFrom('live', 'whole'),
      (stream, plan, reason, calls) => {
        const { events, response } = run(cutChunks(stream.chunks, plan), { request: stream.request, calls }, reason)
        expect(accumulated(accumulate, events)).toEqual(JSON.parse(JSON.stringify(response)))
      },
    ),
    { numRuns: RUNS },
  )
})

test.each(versions)('so it does, openai %s, where the engine failed or the client left', (_, accumulate) => {
  fc.assert(
    fc.property(anyStream(), fc.nat(60), fc.boolean(), (stream, at, isAbort) => {
      const { events, response } = runBroken(stream, at, isAbort)
      expect(accumulated(accumulate, events)).toEqual(JSON.parse(JSON.stringify(response)))
    }),
    { numRuns: RUNS },
  )
})
