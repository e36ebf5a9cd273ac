import { describe, expect, test } from 'vitest'
import { type CompiledSchema, compileSchema, matcherOf, writeGbnf } from '../../../src/engines/grammar/index.js'
import { atOnce, type Slices } from '../../../src/shared/slices.js'
import { allows } from './walk.js'

/** A compiled schema, and how many pauses there were on the way. */
function paused(schema: unknown, maxNodes?: number): { readonly made: CompiledSchema; readonly pauses: number } {
  return counted(compileSchema(schema, maxNodes))
}

function counted<Made>(slices: Slices<Made>): { readonly made: Made; readonly pauses: number } {
  for (let pauses = 0; ; pauses++) {
    const step = slices.next()
    if (step.done) return { made: step.value, pauses }
  }
}

const many = <Value>(count: number, make: (n: number) => Value): Value[] =>
  Array.from({ length: count }, (_, n) => make(n))
const properties = (count: number, make: (n: number) => unknown): object =>
  Object.fromEntries(many(count, (n) => [`property_${n}`, make(n)]))

const closed = (count: number): object => ({
  type: 'object',
  properties: properties(count, () => ({ type: 'null' })),
  additionalProperties: false,
})

function halves(depth: number): object {
  return depth === 0 ? { type: 'string' } : { anyOf: [halves(depth - 1), halves(depth - 1)] }
}

const LARGE: readonly [string, object][] = [
  ['a thousand optional properties', { type: 'object', properties: properties(1_000, () => ({ type: 'string' })) }],
  ['an anyOf of 32,768 leaves in each other', halves(15)],
  ['fifty thousand levels', many(50_000, () => 'items').reduce<object>((inner, name) => ({ [name]: inner }), {})],
  [
    'alternatives of many properties',
    { anyOf: many(200, (n) => ({ type: 'object', properties: properties(100, () => ({ minimum: n })) })) },
  ],
  [
    'combinations of many properties',
    {
      allOf: many(8, (n) => ({ anyOf: [{ properties: properties(400, () => ({ minLength: n })) }, { minLength: n }] })),
    },
  ],
  ['a oneOf of many parts', { oneOf: many(500, (n) => ({ type: 'object', properties: { [`p${n}`]: {} } })) }],
  ['thousands of required names', { type: 'object', required: many(6_000, (n) => `name_${n}`) }],
  ['definitions that use each other', { $ref: '#/$defs/d0', $defs: definitions(12) }],
]

function definitions(count: number): object {
  const inner = (n: number): object => ({
    type: 'object',
    properties: properties(12, (m) => ({ $ref: `#/$defs/d${(n + m) % count}` })),
  })
  return Object.fromEntries(many(count, (n) => [`d${n}`, { allOf: [inner(n), inner(n + 1)] }]))
}

describe('the budget of a schema', () => {
  test.each(LARGE)(
    '%s: it is work in many pieces, and the pieces are no larger than the budget says',
    (_what, schema) => {
      const { made, pauses } = paused(schema)
      // Each slice has at most the work between pauses, and one subschema that cannot be divided.
      expect(made.nodes / (pauses + 1)).toBeLessThan(22_000)
      expect(made.nodes).toBeLessThan(200_000)
      // In any process, independent of earlier compilations.
      const again = paused(schema)
      expect(again.pauses).toBe(pauses)
      expect([...again.made.grammar.keys()]).toEqual([...made.grammar.keys()])
      expect(again.made.relaxed).toEqual(made.relaxed)
    },
  )

  test.each<[string, object]>([
    ['an enum', { enum: many(6_000, (n) => `value ${n}`) }],
    ['an enum with a length', { enum: many(6_000, (n) => `value ${n}`), minLength: 9 }],
    ['an object', { ...closed(2_000), required: many(2_000, (n) => `property_${n}`) }],
    ['listed objects', { enum: many(2_000, (n) => ({ a: n })), required: ['a'] }],
  ])('the rule of %s is made and written in many pieces', (_what, schema) => {
    const { made, pauses } = paused(schema)
    expect(made.relaxed).toEqual([])
    expect(made.nodes / pauses).toBeLessThan(2_500)
    const written = counted(writeGbnf(made.grammar, made.shared))
    expect(written.made.length / (written.pauses + 1)).toBeLessThan(9_000)
  })

  test('the places of many relaxations are listed in many pieces', () => {
    const schema = (count: number): object => ({
      prefixItems: many(count, () => ({ type: 'array', uniqueItems: true })),
    })
    const [few, more] = [paused(schema(100)), paused(schema(900))]
    expect(few.made.relaxed.at(-1)?.message).toContain('50 more')
    expect(more.made.relaxed.at(-1)?.message).toContain('850 more')
    const free = paused({ prefixItems: many(900, () => ({ type: 'array', uniqueItems: false })) })
    expect(more.pauses).toBeGreaterThan(free.pauses)
  })

  test.each<[string, object]>([
    [
      'two patterns and a length',
      {
        type: 'string',
        allOf: [{ pattern: '^[a-z]{1,40}@[a-z0-9.]{1,60}$' }, { pattern: '(foo|bar|baz)' }],
        maxLength: 80,
      },
    ],
    ['a pattern that is forbidden', { type: 'string', not: { pattern: '(abc|def)+x' }, minLength: 5, maxLength: 200 }],
    [
      'names by three patterns',
      {
        type: 'object',
        patternProperties: { '^a.*b$': { type: 'string' }, c: { type: 'number' }, 'd{9}': { type: 'boolean' } },
        additionalProperties: false,
      },
    ],
    ['listed values by a pattern', { enum: ['a', 'b'], pattern: '^([a-z]|[b-y]{1,30}|[c-x]{1,90}){1,40}$' }],
  ])('the automata of %s are made in many pieces', (_what, schema) => {
    const { made, pauses } = paused(schema)
    expect(made.nodes).toBeGreaterThan(5_000)
    expect(made.nodes / (pauses + 1)).toBeLessThan(2_000)
  })

  test('thousands of optional properties are written in many pieces', () => {
    const { made } = paused(closed(2_000))
    const written = counted(writeGbnf(made.grammar, made.shared))
    expect(written.made.length / (written.pauses + 1)).toBeLessThan(9_000)
  })

  test('declared names are tried with patterns in many pieces', () => {
    const patternProperties = Object.fromEntries(many(20, (n) => [`^[a-z]{${n}}x`, {}]))
    const pauses = paused({ ...closed(2_000), patternProperties }).pauses - paused(closed(2_000)).pauses
    // Once to read the schema, and once to tell the names from others.
    expect(pauses).toBeGreaterThan((2 * 20 * 2_000) / 1_250)
  })

  test('alternatives in each other that are too many are dropped in many pieces', () => {
    // Of 4,096 leaves.
    expect(paused(halves(12)).pauses).toBeGreaterThan(90)
  })

  test('the first slices of a schema are short, because new code takes longer', () => {
    const { made, pauses } = paused(closed(30))
    expect(made.nodes).toBeLessThan(1_000)
    expect(pauses).toBeGreaterThanOrEqual(3)
  })

  test('parts over the budget are held by their types, the deepest first, and are named', () => {
    const leaf = (n: number): object => ({ type: 'string', minLength: 2, maxLength: 3 + n })
    const schema = {
      type: 'object',
      properties: properties(3, (n) => ({ type: 'array', items: leaf(n) })),
      required: ['property_0'],
      additionalProperties: false,
    }
    const whole = paused(schema).made
    expect(whole.relaxed).toEqual([])
    const { grammar, relaxed } = paused(schema, whole.nodes - 15).made
    const paths = relaxed.map(({ path }) => path)
    expect(paths.at(-1)).toBe('/properties/property_2/items')
    expect(paths).not.toContain('/properties/property_0/items')
    expect(paths.every((path) => path.endsWith('/items'))).toBe(true)
    const start = atOnce(matcherOf(grammar))
    expect(allows(start, '{"property_0":["ab"]}')).toBe(true)
    expect(allows(start, '{"property_0":["abcd"]}')).toBe(false)
    expect(allows(start, '{"property_0":[],"property_2":["a"]}')).toBe(true)
    expect(allows(start, '{"property_0":[],"property_2":[1]}')).toBe(false)
    expect(allows(start, '{}')).toBe(false)
  })
})
