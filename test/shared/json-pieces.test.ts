import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isLargeJson, jsonPieces } from '../../src/shared/json-pieces.js'
import { RUNS } from '../support/runs.js'

const text = fc.string({
  unit: fc.oneof(fc.constantFrom('\ud83d', '\ude00', '"', '\n', 'a'), fc.string({ maxLength: 2 })),
})
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, fc.jsonValue(), text, tie('list'), tie('fields')),
  list: fc.array(tie('value'), { maxLength: 8 }),
  fields: fc.dictionary(text, fc.oneof(tie('value'), fc.constant(undefined))),
}))

describe('JSON in pieces', () => {
  test('the pieces of any data are what JSON.stringify writes', () => {
    fc.assert(
      fc.property(value, fc.integer({ min: 2, max: 100 }), (data, piece) => {
        expect([...jsonPieces(data, piece)].join('')).toBe(JSON.stringify(data) ?? 'null')
      }),
      { numRuns: RUNS * 4 },
    )
  })

  test('no piece of large data is long, whether it is one text, a list or nested fields', () => {
    for (const data of [
      'a'.repeat(1e6),
      Array.from({ length: 1e5 }, (_, at) => ({ at })),
      { a: [{ b: '"'.repeat(1e6) }] },
    ]) {
      expect(isLargeJson(data)).toBe(true)
      const pieces = [...jsonPieces(data)]
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(200_000)
      expect(pieces.join('')).toBe(JSON.stringify(data))
    }
  })
})
