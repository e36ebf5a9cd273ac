import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ACCUMULATORS, type Accumulate, accumulated } from '../support/accumulators.js'
import { chunkPlan, cutChunks } from '../support/arbitraries.js'
import { anyStream, endReason, RUNS, run, runBroken } from './streams.js'

const versions: [string, Accumulate][] = [
  ['7.55', ACCUMULATORS[0]],
  ['6.49', ACCUMULATORS[1]],
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
