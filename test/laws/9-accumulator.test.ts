import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accumulated, accumulatorsFor } from '../support/accumulators.js'
import { chunkPlan, cutChunks } from '../support/arbitraries.js'
import { RUNS } from '../support/runs.js'
import { anyStream, breaks, endReason, run, runBroken } from './streams.js'

test('the accumulator of openai over our events equals our response', () => {
  fc.assert(
    fc.property(
      anyStream(),
      chunkPlan(),
      endReason,
      fc.constantFrom('live', 'whole'),
      (stream, plan, reason, calls) => {
        const { events, response } = run(cutChunks(stream.chunks, plan), { ...stream.setup, calls }, reason)
        const wire = JSON.parse(JSON.stringify(response))
        for (const accumulate of accumulatorsFor(events)) expect(accumulated(accumulate, events)).toEqual(wire)
      },
    ),
    { numRuns: RUNS },
  )
})

test('the accumulator of openai equals our response also if the engine failed or the client left', () => {
  fc.assert(
    fc.property(anyStream(), fc.nat(60), breaks, (stream, at, how) => {
      const { events, response } = runBroken(stream, at, how)
      const wire = JSON.parse(JSON.stringify(response))
      for (const accumulate of accumulatorsFor(events)) expect(accumulated(accumulate, events)).toEqual(wire)
    }),
    { numRuns: RUNS },
  )
})
