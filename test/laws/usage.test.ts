import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chunkPlan, cutChunks } from '../support/arbitraries.js'
import { RUNS } from '../support/runs.js'
import { anyStream, endReason, oneByOne, run } from './streams.js'

test('usage counts every token that the model sampled, and none of the host', () => {
  fc.assert(
    fc.property(anyStream(), chunkPlan(), endReason, ({ chunks, setup }, plan, reason) => {
      const sampled = oneByOne(chunks).filter((chunk) => typeof chunk === 'number').length
      const { usage } = run(cutChunks(chunks, plan), setup, reason).response
      expect(usage?.output_tokens).toBe(sampled)
      expect(usage?.output_tokens_details.reasoning_tokens).toBeLessThanOrEqual(sampled)
    }),
    { numRuns: RUNS },
  )
})
