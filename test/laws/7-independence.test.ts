import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chunkPlan, cutChunks } from '../support/arbitraries.js'
import { RUNS } from '../support/runs.js'
import { Translator } from '../support/translator.js'
import { anyStream, fixed, run, tokenTable } from './streams.js'

test('two interleaved translators never affect each other', () => {
  fc.assert(
    fc.property(
      anyStream(),
      anyStream(),
      chunkPlan(),
      fc.array(fc.boolean(), { maxLength: 80 }),
      (a, b, plan, turns) => {
        const sides = [a, b].map((stream) => ({
          pieces: cutChunks(stream.chunks, plan),
          translator: new Translator({ ...fixed, tokenTable, ...stream.setup }),
          events: [] as unknown[],
          setup: stream.setup,
          at: 0,
        }))
        for (const turn of turns) {
          const side = sides[turn ? 1 : 0]
          const chunk = side?.pieces[side.at++]
          if (side !== undefined && chunk !== undefined) side.events.push(...side.translator.push(chunk))
        }
        for (const side of sides) {
          for (const chunk of side.pieces.slice(side.at)) side.events.push(...side.translator.push(chunk))
          side.events.push(...side.translator.end())
          expect(side.events).toEqual(run(side.pieces, side.setup).events)
        }
      },
    ),
    { numRuns: RUNS },
  )
})
