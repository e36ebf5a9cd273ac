import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TranslatorSnapshot } from '../../src/core/translate/translator-snapshot.js'
import { chunkPlan, cutChunks, cutText, textPlan } from '../support/arbitraries.js'
import { RUNS } from '../support/runs.js'
import { Translator } from '../support/translator.js'
import { anyStream, endReason, fixed, run, tokenTable } from './streams.js'

/** As it would come out of a database in another process. */
const stored = (snapshot: TranslatorSnapshot): TranslatorSnapshot => JSON.parse(JSON.stringify(snapshot))

test('restoring a snapshot at any boundary continues exactly as if nothing had happened', () => {
  fc.assert(
    fc.property(anyStream(), chunkPlan(), fc.nat(), endReason, ({ chunks, setup }, plan, at, reason) => {
      const pieces = cutChunks(chunks, plan)
      const boundary = at % (pieces.length + 1)
      const first = new Translator({ ...fixed, tokenTable, ...setup })
      const events = pieces.slice(0, boundary).flatMap((chunk) => first.push(chunk))
      const second = Translator.restore(stored(first.snapshot()), {
        ...fixed,
        tokenTable,
        ...setup,
        responseId: 'resp_other',
      })
      events.push(...pieces.slice(boundary).flatMap((chunk) => second.push(chunk)), ...second.end(reason))
      const whole = run(pieces, setup, reason)
      expect(events).toEqual(whole.events)
      expect(second.response).toEqual(whole.response)
    }),
    { numRuns: RUNS },
  )
})

test('a restored snapshot continues exactly with text input, and with calls announced only once complete', () => {
  fc.assert(
    fc.property(anyStream(), textPlan(), fc.nat(), ({ textChunks, setup }, plan, at) => {
      fc.pre(textChunks !== undefined)
      const pieces = cutText(textChunks, plan)
      const boundary = at % (pieces.length + 1)
      const options = { ...fixed, ...setup, calls: 'whole' } as const
      const first = new Translator(options)
      const events = pieces.slice(0, boundary).flatMap((chunk) => first.push(chunk))
      const second = Translator.restore(stored(first.snapshot()), options)
      events.push(...pieces.slice(boundary).flatMap((chunk) => second.push(chunk)), ...second.end())
      expect(events).toEqual(run(pieces, { ...setup, calls: 'whole' }).events)
    }),
    { numRuns: RUNS },
  )
})

test('a snapshot changes nothing in the translator it is taken of', () => {
  fc.assert(
    fc.property(anyStream(), chunkPlan(), ({ chunks, setup }, plan) => {
      const pieces = cutChunks(chunks, plan)
      const translator = new Translator({ ...fixed, tokenTable, ...setup })
      const events = pieces.flatMap((chunk) => {
        translator.snapshot()
        return translator.push(chunk)
      })
      events.push(...translator.end())
      expect(events).toEqual(run(pieces, setup).events)
    }),
    { numRuns: Math.ceil(RUNS / 4) },
  )
})
