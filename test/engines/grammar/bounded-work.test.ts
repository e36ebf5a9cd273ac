import { afterAll, beforeAll, expect, test } from 'vitest'
import { countWork, type WorkCounter } from '../../support/count-work.js'

type Grammar = typeof import('../../../src/engines/grammar/schema/json-schema-to-gbnf.js')

let grammar: WorkCounter<Grammar>

beforeAll(async () => {
  grammar = await countWork<Grammar>('engines/grammar/schema/json-schema-to-gbnf.ts')
})

afterAll(() => grammar.stop())

const many = <Value>(count: number, make: (n: number) => Value): Value[] =>
  Array.from({ length: count }, (_, n) => make(n))

const named = (count: number): object => Object.fromEntries(many(count, (n) => [`p${n}`, { type: 'null' }]))

test.each<[string, (count: number) => object]>([
  ['required names', (count) => ({ type: 'object', required: many(count, (n) => `p${n}`) })],
  [
    'required properties',
    (count) => ({ type: 'object', properties: named(count), required: many(count, (n) => `p${n}`) }),
  ],
  ['properties', (count) => ({ type: 'object', properties: named(count), additionalProperties: false })],
  ['values', (count) => ({ enum: many(count, (n) => `v${n}`) })],
  ['items', (count) => ({ type: 'array', prefixItems: many(count / 4, () => ({ type: 'null' })), items: false })],
])('four times as many %s are at most some five times the work', (_what, schema) => {
  const workOf = (count: number): number => grammar.count(() => grammar.module.jsonSchemaToGbnf(schema(count)))
  workOf(100)
  expect(workOf(2_000) / workOf(500)).toBeLessThan(5)
})
