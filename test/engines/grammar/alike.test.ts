import { expect, test } from 'vitest'
import { compileSchema, matcherOf } from '../../../src/engines/grammar/index.js'
import { atOnce } from '../../../src/shared/slices.js'
import { allows } from './walk.js'

const person = (description: string, more: object = {}): object => ({
  type: 'object',
  description,
  properties: { name: { type: 'string', minLength: 1 }, age: { type: 'integer', minimum: 0 } },
  required: ['name'],
  additionalProperties: false,
  ...more,
})

/** As it comes from a client: no object stands in several places. */
const json = (schema: object): unknown => JSON.parse(JSON.stringify(schema))

const objectOf = (properties: object): object => ({ type: 'object', properties, additionalProperties: false })

test('schemas that say the same of values are compiled once, regardless of their descriptions', () => {
  const one = atOnce(compileSchema(objectOf({ a: person('The first one.') })))
  const many = objectOf({ a: person('The first one.'), b: person('Another.'), c: person('One more.', { title: 'C' }) })
  const { grammar, nodes } = atOnce(compileSchema(many))
  expect(grammar.size).toBeLessThanOrEqual(one.grammar.size + 2)
  expect(nodes).toBeLessThan(one.nodes + 60)
  const start = atOnce(matcherOf(grammar))
  expect(allows(start, '{"a":{"name":"x"},"c":{"name":"y","age":1}}')).toBe(true)
  expect(allows(start, '{"a":{"name":"x"},"c":{"name":"","age":1}}')).toBe(false)
})

test.each<[string, object, object]>([
  ['one value', { const: 1 }, { const: '1' }],
  ['the order of properties', { properties: { a: {}, b: {} } }, { properties: { b: {}, a: {} } }],
  ['a list of names', { required: ['a', 'b'] }, { required: ['a,b'] }],
  ['what a reference points at', { $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }],
  ['a keyword that cannot be held', { type: 'array' }, { type: 'array', uniqueItems: true }],
])('schemas that differ in %s alone are not taken for each other', (_what, one, other) => {
  const $defs = { a: { type: 'string' }, b: { type: 'integer' } }
  const { grammar, relaxed } = atOnce(compileSchema({ ...objectOf({ one, other }), $defs }))
  const start = atOnce(matcherOf(grammar))
  const both = (left: string, right: string): boolean => allows(start, `{"one":${left},"other":${right}}`)
  const examples: Record<string, readonly [string, string]> = {
    '#/properties/other/uniqueItems': ['[1]', '[1]'],
    const: ['1', '"1"'],
    properties: ['{"a":1,"b":1}', '{"b":1,"a":1}'],
    required: ['{"a":1,"b":1}', '{"a,b":1}'],
    $ref: ['"a"', '1'],
    type: ['[1]', '[1]'],
  }
  const [left, right] = examples[Object.keys(one)[0] as string] as readonly [string, string]
  expect(both(left, right)).toBe(true)
  if (left !== right) expect(both(right, left)).toBe(false)
  expect(relaxed.map(({ path }) => path)).toEqual('uniqueItems' in other ? ['/properties/other/uniqueItems'] : [])
})

test('a schema that may be null by the keyword of OpenAPI is not taken for one that may not', () => {
  const schema = objectOf({ a: { type: 'string' }, b: { type: 'string', nullable: true } })
  const start = atOnce(matcherOf(atOnce(compileSchema(schema)).grammar))
  expect(allows(start, '{"a":"x","b":null}')).toBe(true)
  expect(allows(start, '{"a":null,"b":"x"}')).toBe(false)
})

test.each<[string, object, object]>([
  ['an unknown keyword', { type: 'null', x: {} }, { 'type "null"\nx': {} }],
  [
    'the name of what a reference points at',
    { $ref: '#/$defs/a', const: null },
    { $ref: '#/$defs/a%0Aconst null', title: 'x' },
  ],
])('a schema with a line break in %s is not taken for one with another keyword', (_where, one, other) => {
  const schema = { ...objectOf({ one, other }), $defs: { a: {}, 'a\nconst null': {} } }
  const start = atOnce(matcherOf(atOnce(compileSchema(schema)).grammar))
  expect(allows(start, '{"one":null,"other":"x"}')).toBe(true)
  expect(allows(start, '{"one":"x","other":null}')).toBe(false)
})

test('what cannot be held is named wherever it stands, though it is compiled once', () => {
  const list = { type: 'array', items: { type: 'object', properties: { tags: { type: 'array', uniqueItems: true } } } }
  const deep = objectOf({ inner: list })
  const schema = objectOf({ a: list, b: { ...list, title: 'B' }, c: deep, d: deep })
  const { relaxed } = atOnce(compileSchema(schema))
  const parsed = atOnce(compileSchema(json(schema)))
  // As objects that stand in several places, and as they come from a client.
  expect(parsed.relaxed).toEqual(relaxed)
  expect([...parsed.grammar.keys()]).toEqual([...atOnce(compileSchema(schema)).grammar.keys()])
  const below = '/items/properties/tags/uniqueItems'
  expect(relaxed.map(({ path }) => path).sort()).toEqual([
    `/properties/a${below}`,
    `/properties/b${below}`,
    `/properties/c/properties/inner${below}`,
    `/properties/d/properties/inner${below}`,
  ])
})

test('an object of this process that stands in itself is compiled, and its list of what is not held ends', () => {
  const schema: Record<string, unknown> = { type: 'object', uniqueItems: true }
  schema['properties'] = { again: schema, list: { type: 'array', uniqueItems: true } }
  const { relaxed } = atOnce(compileSchema(schema))
  expect(relaxed.length).toBeLessThan(100)
  expect(relaxed.map(({ path }) => path)).toContain('/properties/list/uniqueItems')
})

test('an annotation of any depth is no matter', () => {
  let deep: unknown = 1
  for (let depth = 0; depth < 50_000; depth++) deep = [deep]
  const { grammar } = atOnce(compileSchema({ type: 'array', items: { type: 'null', default: deep }, examples: deep }))
  expect(allows(atOnce(matcherOf(grammar)), '[null,null]')).toBe(true)
})

test('a shared part is read once, and relaxed wherever it is used, as the schemas around it allow', () => {
  const $defs = {
    list: { type: 'array', uniqueItems: true },
    node: { anyOf: [{ $ref: '#/$defs/list' }, { $ref: '#/$defs/back' }] },
    back: { allOf: [{ $ref: '#/$defs/node' }, { minItems: 1 }] },
  }
  const properties = { a: { $ref: '#/$defs/node' }, b: { $ref: '#/$defs/back' }, c: { not: { $ref: '#/$defs/list' } } }
  const { relaxed, grammar } = atOnce(compileSchema({ ...objectOf(properties), $defs }))
  const paths = relaxed.map(({ path }) => path)
  expect(paths).toContain('/$defs/list/uniqueItems')
  // A negation of what is not held whole would allow too little.
  expect(paths).toContain('/properties/c/not')
  const start = atOnce(matcherOf(grammar))
  expect(allows(start, '{"a":[],"b":[1],"c":[1,1]}')).toBe(true)
})

test('schemas that are made of one, and have no place of their own, are not taken for each other', () => {
  const schema = { properties: { a: { type: 'integer' } }, dependentRequired: { a: ['b'], c: ['d'] }, type: 'object' }
  const start = atOnce(matcherOf(atOnce(compileSchema(schema)).grammar))
  expect(allows(start, '{"a":1,"b":2}')).toBe(true)
  expect(allows(start, '{"a":1}')).toBe(false)
  expect(allows(start, '{"c":1,"d":1}')).toBe(true)
  expect(allows(start, '{"c":1}')).toBe(false)
  const named = { type: 'object', propertyNames: { minLength: 2 }, additionalProperties: { not: { const: 1 } } }
  const names = atOnce(matcherOf(atOnce(compileSchema(named)).grammar))
  expect(allows(names, '{"ab":2}')).toBe(true)
  expect(allows(names, '{"a":2}')).toBe(false)
  expect(allows(names, '{"ab":1}')).toBe(false)
})

test('several schemas together are not taken for one whose name has a line break and their paths in it', () => {
  const part = (p: object): object => ({ type: 'object', properties: { p } })
  const first = objectOf({ x: { allOf: [{}, part({ type: 'boolean' })] } })
  const x = {
    allOf: [
      { type: 'object', properties: { p: { type: 'string', minLength: 2 }, 'p\n': first } },
      part({ type: 'string', maxLength: 3 }),
    ],
  }
  const start = atOnce(matcherOf(atOnce(compileSchema(objectOf({ x }))).grammar))
  expect(allows(start, '{"x":{"p":"xyz"}}')).toBe(true)
  expect(allows(start, '{"x":{"p":"x"}}')).toBe(false)
  expect(allows(start, '{"x":{"p\\n":{"x":{"p":true}}}}')).toBe(true)
  expect(allows(start, '{"x":{"p\\n":{"x":{"p":"xyz"}}}}')).toBe(false)
})

test('a schema is not taken for the negation of another, whatever character is in its name', () => {
  const properties = { a: { type: 'string' }, 'a\u0000not': { type: 'null' } }
  const n = { type: 'object', not: { type: 'object', properties, required: ['a'] } }
  const start = atOnce(
    matcherOf(atOnce(compileSchema(objectOf({ n, r: { $ref: '#/properties/n/not/properties/a%00not' } }))).grammar),
  )
  expect(allows(start, '{"n":{"a":1},"r":null}')).toBe(true)
  expect(allows(start, '{"n":{"a":null},"r":null}')).toBe(true)
  expect(allows(start, '{"n":{"a":"x"},"r":null}')).toBe(false)
  expect(allows(start, '{"r":1}')).toBe(false)
})
