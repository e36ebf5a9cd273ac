import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResponseStreamEvent } from '../../src/responses/events.js'
import { Translator } from '../../src/translate/translator.js'
import { chunkPlan, cutChunks } from '../support/arbitraries.js'
import { faultsOf, textOf } from './check-stream.js'
import { anyStream, endReason, fixed, oneByOne, RUNS, run, runBroken, tokenTable } from './streams.js'

test('deltas, done texts, items and the terminal response agree, indexes and numbers have no gap', () => {
  fc.assert(
    fc.property(
      anyStream(),
      chunkPlan(),
      endReason,
      fc.constantFrom('live', 'whole'),
      (stream, plan, reason, calls) => {
        const { events } = run(cutChunks(stream.chunks, plan), { request: stream.request, calls }, reason)
        expect(faultsOf(events)).toEqual([])
      },
    ),
    { numRuns: RUNS },
  )
})

test('the same holds where the engine fails or the client leaves, at any token', () => {
  fc.assert(
    fc.property(anyStream(), fc.nat(80), fc.boolean(), (stream, at, isAbort) => {
      const { events } = runBroken(stream, at, isAbort)
      expect(faultsOf(events)).toEqual([])
      expect(events.filter(({ type }) => type === 'error')).toHaveLength(isAbort ? 0 : 1)
      expect(events.at(-1)?.type).toBe('response.failed')
    }),
    { numRuns: RUNS },
  )
})

test('nothing says completed before its result came', () => {
  fc.assert(
    fc.property(anyStream(), ({ chunks, request }) => {
      const translator = new Translator({ ...fixed, tokenTable, request, policy: 'vllm' })
      let isHost = false
      for (const chunk of oneByOne(chunks)) {
        isHost ||= typeof chunk === 'object' && 'host' in chunk
        const types = translator.push(chunk).map(({ type }) => type)
        if (!isHost) expect(types.filter((type) => /_call\.(completed|failed)$/.test(type))).toEqual([])
      }
    }),
    { numRuns: RUNS },
  )
})

test('the response is at every moment what was streamed so far', () => {
  fc.assert(
    fc.property(anyStream(), endReason, ({ chunks, request }, reason) => {
      const translator = new Translator({ ...fixed, tokenTable, request })
      const texts: string[] = []
      const takes = (events: readonly ResponseStreamEvent[]): void => {
        for (const event of events) {
          if (event.type === 'response.output_item.added') texts.push('')
          if ('delta' in event) texts[event.output_index] += event.delta
        }
        expect(translator.response.output.map(textOf)).toEqual(texts)
      }
      for (const chunk of oneByOne(chunks)) {
        takes(translator.push(chunk))
        expect(translator.response.status).toBe('in_progress')
      }
      takes(translator.end(reason))
    }),
    { numRuns: Math.ceil(RUNS / 4) },
  )
})
