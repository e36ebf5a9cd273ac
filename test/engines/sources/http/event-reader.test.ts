import fc from 'fast-check'
import { expect, it } from 'vitest'
import { EventReader } from '../../../../src/engines/sources/http/event-reader.js'
import { runs } from '../../../support/runs.js'
import { searched } from '../../../support/searched.js'

it('an event stream of carriage returns is read in one pass', () => {
  const reader = new EventReader(() => {})
  expect(searched(() => reader.feed('\r'.repeat(5_000)))).toBeLessThan(10 * 5_000)
})

/** What a reader makes of pieces, in order. */
function readOf(pieces: readonly string[]): readonly unknown[] {
  const read: unknown[] = []
  try {
    const reader = new EventReader((event) => read.push(event))
    for (const piece of pieces) reader.feed(piece)
    reader.end()
    read.push({ isDone: reader.isDone })
  } catch (error) {
    read.push(String(error))
  }
  return read
}

const line = fc.oneof(
  fc.json({ maxDepth: 1 }).map((json) => `data: ${json}`),
  fc.constantFrom('data: [DONE]', 'data:{}', 'data: ', 'data:  1', 'data: no JSON', 'data: {"error":"x"}'),
  fc.constantFrom('', ': alive', 'event: x', 'id: 1', '\ufeff', 'error: "x"', 'retry: 1', 'html'),
)
const stream = fc
  .array(fc.tuple(line, fc.constantFrom('\n\n', '\n', '\r\n\r\n', '\r\n', '\r', '')), { maxLength: 8 })
  .map((lines) => lines.map((one) => one.join('')))

it('the events of a stream are the same at every cut: as whole lines, and letter by letter', () => {
  const cuts = fc.array(fc.nat({ max: 200 }), { maxLength: 6 })
  fc.assert(
    fc.property(stream, cuts, (lines, at) => {
      const text = lines.join('')
      const places = [0, ...at.map((place) => place % (text.length + 1)).toSorted((a, b) => a - b), text.length]
      const pieces = places.slice(1).map((end, index) => text.slice(places[index], end))
      // No letter is an event, so that the parser reads all of it.
      const letters = readOf(Array.from({ length: text.length }, (_, index) => text.charAt(index)))
      expect(readOf(lines)).toEqual(letters)
      expect(readOf(pieces)).toEqual(letters)
    }),
    { numRuns: runs(20_000) },
  )
})
