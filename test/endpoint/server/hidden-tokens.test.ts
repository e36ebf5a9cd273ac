import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import type { TokenChunk } from '../../../src/core/tokens/token-source.js'
import type { TraceRecord } from '../../../src/core/trace/record.js'
import { traceRecords } from '../../../src/core/trace/trace-records.js'
import { hidingRecorder } from '../../../src/endpoint/server/service/trace/hidden-tokens.js'
import { TraceWindow } from '../../../src/endpoint/server/service/trace/window.js'
import { FIXED } from '../../core/translate/run.js'
import { malformedTranscript, wellFormedTranscript } from '../../support/arbitraries.js'
import { RUNS } from '../../support/runs.js'
import { Translator } from '../../support/translator.js'
import { tokenTable } from './endpoint.js'

interface Given {
  readonly chunks: readonly TokenChunk[]
  readonly request?: ResponseRequest
}

/** Translates a stream, and gives each record of it to a function. */
function record({ chunks, request }: Given, reasoning: 'raw' | 'hidden', take: (record: TraceRecord) => void): void {
  const options = { ...FIXED, tokenTable, reasoning, ...(request && { request }), ...traceRecords(take) }
  const translator = new Translator(options)
  for (const chunk of chunks) translator.push(chunk)
  translator.end()
}

const anyStream: fc.Arbitrary<Given> = fc.oneof(wellFormedTranscript(), malformedTranscript())

test('no token of reasoning is shown where reasoning is hidden, and every token is shown or counted once', () => {
  fc.assert(
    fc.property(anyStream, (given) => {
      const secret = new Set<number>()
      record(given, 'raw', (each) => {
        const isReasoning = each.type === 'event' && each.event.type === 'response.reasoning_text.delta'
        if (isReasoning) for (let index = each.from; index <= each.to; index++) secret.add(index)
      })
      const window = new TraceWindow({ limit: 10_000 })
      const recorder = hidingRecorder({ reasoning: true, calls: false }, window)
      record(given, 'hidden', recorder.take)
      recorder.end()
      const shown = window.records.flatMap((each) => (each.type === 'token' ? [each.index] : []))
      const hidden = window.records.flatMap((each) =>
        each.type === 'hidden' ? Array.from({ length: each.tokens }, (_, at) => each.from + at) : [],
      )
      // A token that ends reasoning and begins what follows it is shown.
      const leaked = shown.filter((index) => secret.has(index) && secret.has(index + 1))
      expect(leaked).toEqual([])
      expect([...shown, ...hidden].toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: window.tokens }, (_, at) => at),
      )
    }),
    { numRuns: RUNS },
  )
})

test('no text of a message that is hidden is in another record', () => {
  fc.assert(
    fc.property(anyStream, (given) => {
      const window = new TraceWindow({ limit: 10_000 })
      const recorder = hidingRecorder({ reasoning: true, calls: true }, window)
      record(given, 'hidden', recorder.take)
      recorder.end()
      const hidden = new Set(
        window.records.flatMap((each) =>
          each.type === 'hidden' ? Array.from({ length: each.tokens }, (_, at) => each.from + at) : [],
        ),
      )
      const about = window.records.filter((each) => each.type === 'harmony' || each.type === 'diagnostic')
      const texts = about.filter((each) => each.type === 'harmony' && each.event.type === 'message_text')
      expect(texts.filter((each) => 'index' in each && hidden.has(each.index))).toEqual([])
    }),
    { numRuns: RUNS },
  )
})
