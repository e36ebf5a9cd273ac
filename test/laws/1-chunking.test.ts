import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chunkPlan, cutChunks, cutText, textPlan, wellFormedTranscript } from '../support/arbitraries.js'
import { RUNS } from '../support/runs.js'
import { anyStream, endReason, oneByOne, run, withoutDeltaBorders } from './streams.js'

test('any way of cutting the same tokens gives the same items, texts and ids', () => {
  fc.assert(
    fc.property(anyStream(), chunkPlan(), endReason, ({ chunks, setup }, plan, reason) => {
      const whole = run(oneByOne(chunks), setup, reason)
      const other = run(cutChunks(chunks, plan), setup, reason)
      expect(withoutDeltaBorders(other.events)).toEqual(withoutDeltaBorders(whole.events))
      expect(other.diagnostics.map(({ index: _, ...rest }) => rest)).toEqual(
        whole.diagnostics.map(({ index: _, ...rest }) => rest),
      )
    }),
    { numRuns: RUNS },
  )
})

test('any way of cutting gives the same when calls are announced only once complete', () => {
  fc.assert(
    fc.property(anyStream(), chunkPlan(), endReason, ({ chunks, setup }, plan, reason) => {
      const whole = run(oneByOne(chunks), { ...setup, calls: 'whole' }, reason)
      const other = run(cutChunks(chunks, plan), { ...setup, calls: 'whole' }, reason)
      expect(withoutDeltaBorders(other.events)).toEqual(withoutDeltaBorders(whole.events))
    }),
    { numRuns: RUNS },
  )
})

test('log-probabilities stand in the same places however the tokens are cut', () => {
  const include = ['message.output_text.logprobs']
  fc.assert(
    fc.property(wellFormedTranscript(), fc.array(fc.integer({ min: 1, max: 9 })), ({ chunks, request }, sizes) => {
      const scored = cutChunks(chunks, [{ size: 1, form: 'scored' }])
      const grouped: typeof scored = []
      let at = 0
      for (let from = 0; from < scored.length; ) {
        const chunk = scored[from]
        const size = chunk !== undefined && typeof chunk === 'object' && 'host' in chunk ? 1 : (sizes[at++] ?? 3)
        const piece = scored.slice(from, from + size)
        const host = piece.findIndex((token) => typeof token === 'object' && 'host' in token)
        const taken = host > 0 ? piece.slice(0, host) : host === 0 ? piece.slice(0, 1) : piece
        grouped.push(...(host === 0 ? taken : [taken as never]))
        from += taken.length
      }
      const one = run(scored, { request: { ...request, include } })
      const other = run(grouped, { request: { ...request, include } })
      expect(withoutDeltaBorders(other.events)).toEqual(withoutDeltaBorders(one.events))
    }),
    { numRuns: RUNS },
  )
})

test('text with literal markers gives the same items, texts and ids as its tokens', () => {
  fc.assert(
    fc.property(anyStream(), textPlan(), endReason, ({ chunks, textChunks, setup }, plan, reason) => {
      fc.pre(textChunks !== undefined)
      const tokens = run(chunks, setup, reason)
      const text = run(cutText(textChunks, plan), setup, reason)
      const usageless = (events: readonly unknown[]): unknown[] =>
        events.map((event) => {
          const { response, ...rest } = event as { response?: Record<string, unknown> }
          return response === undefined ? event : { ...rest, response: { ...response, usage: null } }
        })
      expect(usageless(withoutDeltaBorders(text.events))).toEqual(usageless(withoutDeltaBorders(tokens.events)))
      if (textChunks.some((chunk) => typeof chunk === 'string' && chunk !== '')) expect(text.response.usage).toBeNull()
    }),
    { numRuns: RUNS },
  )
})
