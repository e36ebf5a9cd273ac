import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadTokenTable } from '../../../../src/core/tokens/load-token-table.js'
import {
  chunkPlan,
  cutChunks,
  cutText,
  faultyStream,
  malformedTranscript,
  textPlan,
  textSoup,
  wellFormedTranscript,
} from '../../../../src/judge/conformance/arbitraries/index.js'
import { faultsOf } from '../../../laws/check-stream.js'
import { run } from '../../../laws/streams.js'
import { runs } from '../../../support/runs.js'

// How people use the arbitraries on a server of their own; here the server is this library.

test('the arbitraries test a server that takes token ids', async () => {
  const tokenTable = await loadTokenTable()
  const transcript = fc.oneof(wellFormedTranscript({ tokenTable }), malformedTranscript({ tokenTable }))
  fc.assert(
    fc.property(transcript, chunkPlan(), ({ chunks, request }, plan) => {
      const { events } = run(cutChunks(chunks, plan), { request }, 'stop')
      expect(faultsOf(events)).toEqual([])
    }),
    { numRuns: runs(200) },
  )
})

test('the arbitraries test a server that takes text', () => {
  const text = fc.oneof(
    wellFormedTranscript().map(({ textChunks }) => textChunks),
    malformedTranscript().map(({ textChunks }) => textChunks),
    textSoup().map((soup) => [soup]),
  )
  fc.assert(
    fc.property(text, textPlan(), (chunks, plan) => {
      const { events } = run(cutText(chunks, plan))
      expect(faultsOf(events)).toEqual([])
    }),
    { numRuns: runs(200) },
  )
})

test('the arbitraries test a judge of streams', () => {
  const stream = wellFormedTranscript().map(
    ({ textChunks, request }) => run(cutText(textChunks, [3]), { request }, 'stop').events,
  )
  const kinds = [
    'dropped_created',
    'dropped_item_done',
    'sequence_gap',
    'done_text_differs',
    'item_id_changed',
  ] as const
  fc.assert(
    fc.property(faultyStream(stream, { kinds }), ({ events }) => {
      expect(faultsOf(events as never)).not.toEqual([])
    }),
    { numRuns: runs(200) },
  )
})
