import { type Schema, Validator } from '@cfworker/json-schema'
import { expect, test } from 'vitest'
import { parsePlainJson } from '../../../../src/endpoint/respond/strict/plain-json.js'
import { safeSchema } from '../../../../src/endpoint/respond/strict/safe-schema.js'
import type { TextTest } from '../../../../src/endpoint/respond/strict/text-test.js'
import { atOnce, type Slices } from '../../../../src/shared/slices.js'

// biome-ignore-start lint/correctness/useYield: tests pause, and these have no reason to
function* none(): Slices<undefined> {
  return undefined
}
function* never(): Slices<TextTest> {
  return function* () {
    return false
  }
}
// biome-ignore-end lint/correctness/useYield: tests pause, and these have no reason to

/** The validator's work for a value, counted by the getter that it reads. */
function workOf(schema: object, value: unknown): number {
  let work = 0
  const onStep = (more: number): void => {
    work += more
  }
  const json = atOnce(parsePlainJson(JSON.stringify(value)))
  const safe = atOnce(safeSchema(schema, { json, testOf: none, onStep })) as Schema
  new Validator(safe, '2020-12').validate(json.value)
  return work
}

test('each application of a schema is counted once, as this version of the validator reads it', () => {
  const number = { type: 'number' }
  expect(workOf(number, 1)).toBe(1)
  expect(workOf({ type: 'array', items: number }, [1, 2, 3])).toBe(4)
  expect(workOf({ anyOf: [{ type: 'string' }, number] }, 1)).toBe(3)
  const list = { $defs: { list: { type: 'array', items: { $ref: '#/$defs/list' } } }, $ref: '#/$defs/list' }
  // The schema, and for each of four arrays the definition, and the reference to it for all but the first.
  expect(workOf(list, [[], [[]]])).toBe(1 + 4 + 3)
})

test('the lists of a schema count by their length', () => {
  const values = Array.from({ length: 80 }, (_, at) => at)
  expect(workOf({ enum: values }, 1)).toBe(11)
})

test.each<[string, object]>([
  ['a dependency of a property named like a keyword', { dependencies: { const: { pattern: '(a+)+$' } } }],
  ['a dependency', { dependencies: { a: { properties: { b: { pattern: '(a+)+$' } } } } }],
  ['what a reference may point at', { examples: { a: { pattern: '(a+)+$' } }, $ref: '#/examples/a' }],
  ['an unknown keyword', { a: { pattern: '(a+)+$' }, $ref: '#/a' }],
])("no pattern is left for JavaScript's engine to run: %s", (_where, schema) => {
  const json = atOnce(parsePlainJson('{"const":"a"}'))
  const safe = atOnce(safeSchema(schema, { json, testOf: never, onStep: () => {} }))
  expect(JSON.stringify(safe)).toContain('pattern')
  expect(JSON.stringify(safe)).not.toContain('(a+)+')
})

test('examples may look like schemas, and are none', () => {
  const schema = { not: { type: 'null' }, examples: [{ format: 'uri', pattern: 'a' }] }
  const json = atOnce(parsePlainJson('1'))
  const safe = atOnce(safeSchema(schema, { json, testOf: none, onStep: () => {} }))
  expect(safe).toMatchObject({ examples: schema.examples })
})
