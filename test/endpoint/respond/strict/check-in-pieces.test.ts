import { dereference, type OutputUnit, type Schema, type SchemaDraft, validate } from '@cfworker/json-schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkInPieces, isDivisible } from '../../../../src/endpoint/respond/strict/check-in-pieces.js'
import { checkOutput } from '../../../../src/endpoint/respond/strict/check-output.js'
import { parsePlainJson } from '../../../../src/endpoint/respond/strict/plain-json.js'
import { atOnce } from '../../../../src/shared/slices.js'
import { runs } from '../../../support/runs.js'

type AnySchema = boolean | { [keyword: string]: unknown }

const NAMES = fc.constantFrom('a', 'b', 'ab', 'c~/d')

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, 0, 1, 2.5, '', 'a', 'ab'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(NAMES, tie('value'), { maxKeys: 4 }),
  ),
}))

const { schema } = fc.letrec<{ schema: AnySchema; object: { [keyword: string]: unknown } }>((tie) => ({
  schema: fc.oneof({ maxDepth: 2 }, fc.boolean(), { arbitrary: tie('object'), weight: 9 }),
  object: fc.record(
    {
      type: fc.constantFrom<unknown>('object', 'array', 'string', ['array', 'null'], ['object', 'integer']),
      $ref: fc.constantFrom('#/$defs/one', '#/$defs/two'),
      required: fc.array(NAMES, { maxLength: 2 }),
      maxProperties: fc.nat({ max: 3 }),
      properties: fc.dictionary(NAMES, tie('schema'), { maxKeys: 3 }),
      patternProperties: fc.dictionary(fc.constantFrom('a', '^b$', 'b'), tie('schema'), { maxKeys: 2 }),
      additionalProperties: tie('schema'),
      propertyNames: fc.constantFrom({ maxLength: 1 }, true),
      items: tie('schema'),
      prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      contains: tie('schema'),
      minItems: fc.nat({ max: 2 }),
      uniqueItems: fc.boolean(),
      anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
      allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
      oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
      not: tie('schema'),
      if: tie('schema'),
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: tie('schema'),
      else: tie('schema'),
      const: fc.constantFrom<unknown>(0, [], {}),
      enum: fc.constant([null, 'a', 1]),
    },
    { requiredKeys: [], noNullPrototype: true },
  ),
}))

/** References lead from the first definition to the second, and end there. */
const document = fc.tuple(schema, schema, schema).map(([root, one, two]) => {
  const last = typeof two === 'boolean' ? two : { ...two, $ref: undefined }
  const definitions = { one: withoutOne(one), two: JSON.parse(JSON.stringify(last, withoutReference)) }
  return { allOf: [root], $defs: definitions } as Schema
})

function withoutReference(this: unknown, name: string, inner: unknown): unknown {
  return name === '$ref' ? undefined : inner
}

function withoutOne(given: AnySchema): AnySchema {
  return JSON.parse(JSON.stringify(given).replaceAll('#/$defs/one', '#/$defs/two'))
}

/** What a fault says of its place: the wording of a combination may count matches. */
const placesOf = (errors: readonly OutputUnit[]): unknown[] =>
  errors.map(({ instanceLocation, keyword }) => `${instanceLocation} ${keyword}`).sort()

/** Checks as if arrays and objects were larger by a factor. */
function inPieces(given: unknown, document: Schema, draft: SchemaDraft, factor: number): OutputUnit[] {
  const json = atOnce(parsePlainJson(JSON.stringify(given)))
  const sizes = new Map([...json.sizes].map(([of, size]) => [of, factor * size]))
  const options = { draft, lookup: dereference(document), sizes, isPairwise: false, onPiece: () => {}, worked: () => 0 }
  return atOnce(checkInPieces(json.value, document, options))
}

describe('a check in pieces', () => {
  test.each<SchemaDraft>(['7', '2020-12'])(
    'the pieces of a value have the faults that the whole has: draft %s',
    (draft) => {
      fc.assert(
        fc.property(document, value, fc.constantFrom(30, 1_000), (given, instance, factor) => {
          const json = atOnce(parsePlainJson(JSON.stringify(instance)))
          const whole = validate(json.value, given, draft, dereference(given)).errors
          const pieces = inPieces(instance, given, draft, factor)
          expect(pieces.length === 0).toBe(whole.length === 0)
          expect(new Set(placesOf(pieces))).toEqual(new Set(placesOf(whole)))
        }),
        { numRuns: runs(150) },
      )
    },
  )

  test.each(['unevaluatedProperties', 'unevaluatedItems', '$recursiveRef', '$dynamicRef'])(
    'a schema in which %s depends on other keywords is not divided',
    (keyword) => {
      expect(atOnce(isDivisible({ properties: { a: { items: { [keyword]: false } } } }))).toBe(false)
      expect(atOnce(isDivisible({ properties: { a: { items: { not: false } } } }))).toBe(true)
    },
  )

  test('other work runs between the pieces of a long output', () => {
    const items = Array.from({ length: 5_000 }, (_, at) => ({ id: at, name: `n${at}`, tags: ['a', 'b'] }))
    const item = {
      type: 'object',
      properties: { id: { type: 'integer' }, tags: { type: 'array' } },
      required: ['name'],
    }
    const list = { type: 'array', items: { $ref: '#/$defs/item' }, uniqueItems: true }
    const jsonSchema = { anyOf: [{ type: 'null' }, list], $defs: { item } }
    expect(slicesOf(JSON.stringify(items), jsonSchema)).toEqual({ errors: [], isSliced: true })
    const twice = [...items, items[0]]
    expect(slicesOf(JSON.stringify(twice), jsonSchema).errors).toContainEqual(
      expect.objectContaining({ path: '', keyword: '/anyOf/1/uniqueItems' }),
    )
    const wrong = [...items, { id: 'x', name: '' }]
    expect(slicesOf(JSON.stringify(wrong), jsonSchema).errors).toContainEqual(
      expect.objectContaining({ path: '/5000/id', keyword: '/anyOf/1/items/$ref/properties/id/type' }),
    )
  })

  test('other work runs while patterns are matched', () => {
    const texts = Array.from({ length: 1_000 }, (_, at) => `${'a'.repeat(200)}${at}`)
    const jsonSchema = { type: 'array', items: { pattern: '^(a|aa)*[0-9]+$' } }
    expect(slicesOf(JSON.stringify(texts), jsonSchema)).toEqual({ errors: [], isSliced: true })
  })

  test('short arrays have to be unique beside a long one, too', () => {
    const schema = { type: 'array', uniqueItems: true, items: { properties: { tags: { uniqueItems: true } } } }
    const items = Array.from({ length: 2_000 }, (_, id) => ({ id, tags: id === 1_500 ? ['a', 'a'] : ['a', 'b'] }))
    expect(slicesOf(JSON.stringify(items), schema).errors).toContainEqual(
      expect.objectContaining({ path: '/1500/tags', keyword: '/items/properties/tags/uniqueItems' }),
    )
  })

  test.each<[string, { [keyword: string]: unknown }]>([
    ['under not', { not: { uniqueItems: true } }],
    ['under not, by a reference', { not: { $ref: '#/$defs/set' }, $defs: { set: { uniqueItems: true } } }],
    ['beside a keyword that prevents pieces', { uniqueItems: true, unevaluatedItems: {} }],
    ['for an item of a tuple', { prefixItems: [{ uniqueItems: true }] }],
  ])('the pairs of a long array are not compared: %s', (where, schema) => {
    const items = Array.from({ length: 2_000 }, (_, at) => [at])
    const value = where === 'for an item of a tuple' ? [items] : items
    expect(() => slicesOf(JSON.stringify(value), schema)).toThrow('too many items have to be unique')
  })

  test('a piece that takes too much work is given up, not checked in part', () => {
    const items = Array.from({ length: 20_000 }, (_, at) => at)
    const jsonSchema = { type: 'array', items: { type: 'integer' }, unevaluatedItems: false }
    expect(() => slicesOf(JSON.stringify(items), jsonSchema)).toThrow('too much work')
  })
})

/** Runs a check, and counts its slices. */
function slicesOf(text: string, jsonSchema: { [keyword: string]: unknown }): { errors: unknown; isSliced: boolean } {
  const slices = checkOutput(text, { jsonSchema })
  let count = 0
  for (let step = slices.next(); ; step = slices.next()) {
    if (step.done) return { errors: step.value, isSliced: count > 5 }
    count += 1
  }
}
