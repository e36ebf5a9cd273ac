import fc from 'fast-check'
import { expect, test } from 'vitest'
import { prefixesOf } from '../../../src/core/recipients/prefixes.js'
import { RUNS } from '../../support/runs.js'

const path = fc.string({ unit: fc.constantFrom('a', 'b', '.', '\ud83c', '\udf05'), maxLength: 8 })

test('a path begins with the names that stand before one of its dots, the longest first', () => {
  fc.assert(
    fc.property(fc.array(path), path, (names, path) => {
      const prefixes = new Map(names.map((name) => [name, true]))
      const expected = [...new Set(names)].filter((name) => path.startsWith(`${name}.`))
      expect(prefixesOf(path, prefixes)).toEqual(expected.sort((a, b) => b.length - a.length))
    }),
    { numRuns: RUNS },
  )
})
