import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toSseResponse } from '../../../../src/core/sse/index.js'
import { type ChatAnswerOptions, toChatChunks } from '../../../../src/dialects/index.js'
import { createCaptureChecker, type Finding } from '../../../../src/judge/conformance/index.js'
import { anyStream, breaks, endReason, run, runBroken } from '../../../laws/streams.js'
import { RUNS } from '../../../support/runs.js'

const anyOptions: fc.Arbitrary<ChatAnswerOptions> = fc.record(
  {
    includeUsage: fc.boolean(),
    reasoning: fc.constantFrom('both', 'reasoning_content', 'reasoning', 'hidden'),
    preambles: fc.constantFrom('content', 'reasoning'),
    calls: fc.constantFrom('tool_calls', 'function_call'),
  },
  { requiredKeys: [] },
)

/** What the judge says of a capture, but for what the model wrote. */
function findings(capture: string): Finding[] {
  const checker = createCaptureChecker({ profile: 'chat' })
  return [...checker.push(capture), ...checker.end()]
}

const faultsIn = (capture: string): Finding[] =>
  findings(capture).filter((found) => found.kind === 'violation' && found.violation.fault === 'server')

test('our own chunks break no rule, whatever a model writes', async () => {
  await fc.assert(
    fc.asyncProperty(anyStream(), endReason, anyOptions, async ({ chunks, setup }, reason, options) => {
      const { events } = run(chunks, setup, reason)
      const capture = await toSseResponse(toChatChunks(events, options), { eventLines: false, done: true }).text()
      expect(findings(capture).filter(({ kind }) => kind === 'stream')).toHaveLength(1)
      expect(faultsIn(capture)).toEqual([])
    }),
    { numRuns: RUNS },
  )
})

test('nor do those of a response that breaks off', async () => {
  await fc.assert(
    fc.asyncProperty(anyStream(), fc.nat(80), breaks, anyOptions, async (stream, at, how, options) => {
      const { events } = runBroken(stream, at, how)
      const capture = await toSseResponse(toChatChunks(events, options), { eventLines: false, done: true }).text()
      expect(faultsIn(capture)).toEqual([])
    }),
    { numRuns: RUNS },
  )
})
