import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonHash } from '../../../src/judge/conformance/json-hash.js'
import { differingFields, isSameJson, MAX_DEPTH } from '../../../src/judge/conformance/stream-event.js'
import type { Fields } from '../../../src/shared/fields.js'
import { runs } from '../../support/runs.js'

/** The oracle: JSON as text, with keys in order. */
function written(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, part]) => [key, turned(part)])
  return Object.fromEntries(entries.reverse())
}

// Of few words, so that two of them are often the same but for one.
const word = fc.constantFrom('', 'a', 'b', 'ab', '1', 'null', 'constructor', '__proto__')
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(word, fc.constantFrom(0, 1, 1.5, null, true, false)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(word, tie('value'), { maxKeys: 3 }),
  ),
})).value
/** Two values, at times the same one with its keys the other way round. */
const pair = fc.oneof(
  fc.tuple(json, json),
  json.map((value) => [value, turned(value)] as const),
)

describe('two JSON values', () => {
  test('two JSON values are the same if they are the same text, regardless of the order of their keys', () => {
    fc.assert(
      fc.property(pair, ([a, b]) => {
        expect(isSameJson(a, b)).toBe(written(a) === written(b))
      }),
      { numRuns: runs(5000) },
    )
  })

  test('two JSON values have the same digest if they are the same text, and another if they are not', () => {
    fc.assert(
      fc.property(pair, ([a, b]) => {
        expect(jsonHash(a) === jsonHash(b)).toBe(written(a) === written(b))
      }),
      { numRuns: runs(5000) },
    )
  })

  test('two JSON values have digests that are whole numbers', () => {
    fc.assert(fc.property(json, (value) => Number.isSafeInteger(jsonHash(value)) && jsonHash(value) >= 0))
  })
})

describe('two objects', () => {
  const fields = fc.dictionary(word, json, { maxKeys: 4 })
  const two = fc.oneof(
    fc.tuple(fields, fields),
    fields.map((value) => [value, turned(value) as Fields] as const),
    fc.tuple(fields, word, json).map(([value, name, other]) => [value, { ...value, [name]: other }] as const),
  )

  test('two objects differ in the fields whose values are not the same text', () => {
    fc.assert(
      fc.property(two, ([a, b]) => {
        const own = (from: Fields, name: string): unknown => (Object.hasOwn(from, name) ? from[name] : undefined)
        const names = new Set([...Object.keys(a), ...Object.keys(b)])
        const expected = [...names].filter((name) => written(own(a, name)) !== written(own(b, name)))
        expect(new Set(differingFields(a, b))).toEqual(new Set(expected))
      }),
      { numRuns: runs(5000) },
    )
  })

  test('two objects do not differ in a field that one has without a value', () => {
    expect(differingFields({ a: 1, b: undefined }, { a: 1 })).toEqual([])
    expect(jsonHash({ a: 1, b: undefined })).toBe(jsonHash({ a: 1 }))
  })
})

describe('values nested deeper than a function can call itself', () => {
  const nested = (depth: number, core: string): unknown => JSON.parse(`${'['.repeat(depth)}${core}${']'.repeat(depth)}`)

  test('values nested deeper than a function can call itself are compared as far as they are looked into', () => {
    expect(isSameJson(nested(100_000, '1'), nested(100_000, '2'))).toBe(true)
    expect(isSameJson(nested(MAX_DEPTH, '1'), nested(MAX_DEPTH, '2'))).toBe(false)
  })

  test('values nested deeper than a function can call itself have a digest of the compared part', () => {
    expect(jsonHash(nested(100_000, '1'))).toBe(jsonHash(nested(100_000, '{}')))
    expect(jsonHash(nested(MAX_DEPTH, '1'))).not.toBe(jsonHash(nested(MAX_DEPTH, '2')))
  })
})
