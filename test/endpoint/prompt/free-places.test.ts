import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FreePlaces } from '../../../src/endpoint/prompt/free-places.js'
import { RUNS } from '../../support/runs.js'

test('takeAfter takes the first free place after another one, and each place only once', () => {
  const places = fc.uniqueArray(fc.nat(40)).map((list) => list.sort((a, b) => a - b))
  fc.assert(
    fc.property(places, fc.array(fc.integer({ min: -1, max: 41 })), (list, after) => {
      const free = new FreePlaces()
      for (const place of list) free.add(place)
      const left = new Set(list)
      for (const place of after) {
        const expected = list.find((each) => each > place && left.has(each))
        if (expected !== undefined) left.delete(expected)
        expect(free.takeAfter(place)).toBe(expected)
      }
    }),
    { numRuns: RUNS },
  )
})
