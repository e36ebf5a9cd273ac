import { expect, test } from 'vitest'
import { sharedLogprobs } from '../../../src/core/text/logprobs.js'
import { bytesOf } from '../../../src/endpoint/stores/bytes-of.js'

const entry = (at: number) => ({ token: `word ${at}`, logprob: -at, bytes: [1, 2, 3, 4] })
const logprob = (tops: number) => ({ ...entry(0), top_logprobs: Array.from({ length: tops }, (_, at) => entry(at)) })

test("the translator's log-probabilities are counted by their number, which is at least what counting each part gives", () => {
  for (const tops of [0, 1, 20]) {
    const [shared] = sharedLogprobs([logprob(tops)])
    expect(bytesOf(shared)).toBe(256 * (1 + tops))
    expect(bytesOf(shared)).toBeGreaterThan(bytesOf(logprob(tops)))
  }
})

test('those of a client are counted part by part, whatever they say that they are', () => {
  const long = { ...logprob(0), token: 'x'.repeat(1_000_000) }
  expect(bytesOf({ content: [{ logprobs: [long] }] })).toBeGreaterThan(2_000_000)
})
