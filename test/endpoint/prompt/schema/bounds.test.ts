import { describe, expect, test } from 'vitest'
import { jsonText } from '../../../../src/endpoint/prompt/schema/json-text.js'
import { typescriptOf } from '../../../../src/endpoint/prompt/schema/typescript.js'
import { sized } from '../../../support/runs.js'
import { aliasesOf } from './breakout.js'

/** The maximum length of a schema's type: its limit, and the text that closes open types. */
const MAX_TEXT = 260_000

function expectBounded(schema: unknown): string {
  const type = typescriptOf(schema)
  expect(type.length).toBeLessThan(MAX_TEXT)
  expect(aliasesOf(`namespace a {\ntype f = (_: ${type}) => any;\n}`).aliases).toEqual(['f'])
  return type
}

function nested(depth: number, around: (inner: unknown) => unknown): unknown {
  let schema: unknown = { type: 'string' }
  for (let level = 0; level < depth; level++) schema = around(schema)
  return schema
}

const DEEP = sized(100_000, 30_000)

describe('a deep schema', () => {
  test.each<[string, (inner: unknown) => unknown]>([
    ['objects', (inner) => ({ type: 'object', properties: { a: inner } })],
    ['arrays', (items) => ({ type: 'array', items })],
    ['tuples', (inner) => ({ prefixItems: [inner] })],
    ['old tuples', (inner) => ({ type: 'array', items: [inner], additionalItems: inner })],
    ['oneOf', (inner) => ({ oneOf: [inner, { type: 'number' }] })],
    ['anyOf', (inner) => ({ anyOf: [inner, { type: 'number' }, { type: 'boolean' }] })],
    ['anyOf with null', (inner) => ({ anyOf: [inner, { type: 'null' }] })],
    ['allOf', (inner) => ({ allOf: [inner, { type: 'object' }] })],
    ['other properties', (inner) => ({ additionalProperties: inner, patternProperties: { a: inner } })],
    ['not', (not) => ({ not })],
    ['defaults', (inner) => ({ properties: { a: { default: inner } } })],
    ['constants', (inner) => ({ const: inner })],
    ['values', (inner) => ({ enum: [inner] })],
    ['lists', (inner) => [inner]],
  ])('a deep schema of %s is cut', (_, around) => {
    const schema = nested(DEEP, around)
    expectBounded(schema)
    expectBounded({ type: 'object', properties: { a: schema, b: { default: schema, examples: [schema] } } })
  })

  test('a deep schema says where parts of it are missing', () => {
    const schema = nested(60, (inner) => ({ type: 'object', properties: { a: inner } }))
    expect(typescriptOf(schema).match(/left out: the schema is too deep or too large/g)).toHaveLength(1)
    expect(typescriptOf(nested(39, (items) => ({ type: 'array', items })))).toBe(`string${'[]'.repeat(39)}`)
  })
})

const many = (count: number, entry: (index: number) => [string, unknown]): unknown =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => entry(index)))

describe('a large schema', () => {
  const MANY = sized(100_000, 30_000)
  /** So many words are too much text, too. */
  const WORDS = 100_000
  const list = Array.from({ length: MANY }, (_, index) => `value ${index}`)

  test.each<[string, unknown]>([
    ['properties', { properties: many(MANY, (index) => [`p${index}`, { type: 'string' }]) }],
    ['required properties', { required: list }],
    ['patterns', { patternProperties: many(MANY, (index) => [`^p${index}`, {}]) }],
    ['values', { enum: list }],
    ['values of a string', { type: 'string', enum: list }],
    ['variants', { oneOf: list.map((description) => ({ type: 'string', description })) }],
    ['variants on a line', { anyOf: list.map((value) => ({ const: value })) }],
    ['parts', { allOf: list.map((value) => ({ properties: { [value]: {} } })) }],
    ['conditions', { properties: { a: {} }, anyOf: list.map((value) => ({ required: [value] })) }],
    ['items of a tuple', { prefixItems: list.map((value) => ({ const: value })) }],
    ['types', { type: list }],
    ['examples', { properties: { a: { examples: list } } }],
    ['text', { properties: { a: { description: 'text '.repeat(WORDS), title: '\n'.repeat(WORDS) } } }],
    ['text in a default', { properties: { a: { default: 'text '.repeat(WORDS) } } }],
    ['text in a constant', { properties: { a: { const: 'text '.repeat(WORDS) } } }],
    ['text in a name', { properties: { ['text '.repeat(WORDS)]: {} }, required: ['text '.repeat(WORDS)] }],
    ['text in a pattern', { type: 'string', pattern: '"'.repeat(WORDS) }],
    ['text in a reference', { $ref: `#/${'a/'.repeat(WORDS)}` }],
    ['unknown keywords', many(MANY, (index) => [`x-${index}`, index])],
  ])('a large schema is cut, whatever makes it large: %s', (_, schema) => {
    expectBounded(schema)
    expectBounded({ type: 'object', properties: { a: schema, b: { type: 'array', items: schema } } })
  })

  test.each(['oneOf', 'anyOf', 'allOf'])('no more than 4,096 parts of %s are looked at', (keyword) => {
    const seen = new Set<number>()
    const parts = Array.from({ length: 10_000 }, (_, index) => {
      const see = (): undefined => void seen.add(index)
      return new Proxy(
        { type: 'string' },
        { getOwnPropertyDescriptor: (part, name) => see() ?? Reflect.getOwnPropertyDescriptor(part, name) },
      )
    })
    const text = typescriptOf({ [keyword]: parts })
    expect(seen.size).toBe(4_096)
    expect(text).toMatch(keyword === 'allOf' ? /any \/\* left out/ : /\/\/ 5904 more variants are left out/)
  })

  test('a large schema states its missing parts', () => {
    expect(typescriptOf({ enum: list })).toMatch(/ \| any \/\* \d+ more values are left out \*\/$/)
    const properties = many(MANY, (index) => [`p${index}`, { type: 'string' }])
    expect(typescriptOf({ properties })).toMatch(/\n\/\/ \.\.\. \d+ more properties are left out\n\}$/)
    expect(typescriptOf({ oneOf: list.map(() => ({ const: 'a' })) })).toMatch(
      /\| any \/\/ \d+ more variants are left out\n$/,
    )
    const text = { properties: { a: { description: 'text '.repeat(WORDS) } } }
    expect(typescriptOf(text)).toMatch(/ \.\.\. \(300\d{3} more characters\)\na\?: any/)
  })
})

describe('a schema that refers to itself', () => {
  /** Twenty definitions, each of which holds the next one twice: a million, if they were all written out. */
  const doubling = {
    $ref: '#/$defs/d0',
    $defs: many(20, (index) => {
      const next = { $ref: `#/$defs/d${index + 1}` }
      return [`d${index}`, { type: 'object', properties: { left: next, right: next } }]
    }),
  }

  test('a schema that refers to itself in all places at once is written out a few times', () => {
    expect(expectBounded(doubling).length).toBeLessThan(60_000)
  })

  test('a schema that refers to itself through every definition is written out a few times', () => {
    const all = Array.from({ length: 300 }, (_, index) => ({ $ref: `#/$defs/d${index}` }))
    const $defs = many(300, (index) => [`d${index}`, { type: 'object', properties: { [`p${index}`]: { anyOf: all } } }])
    expectBounded({ $ref: '#/$defs/d0', $defs })
    expectBounded({ anyOf: all, $defs })
  })

  test.each(['allOf', 'anyOf', 'oneOf', 'prefixItems'])(
    'a schema that refers to itself on a great many paths of %s is cut',
    (keyword) => {
      const $defs = many(10_000, (index) => [
        `d${index}`,
        { [keyword]: Array.from({ length: 10 }, (_, at) => ({ $ref: `#/$defs/d${(7 * index + 13 * at) % 10_000}` })) },
      ])
      expectBounded({ $ref: '#/$defs/d0', $defs })
      expectBounded({ properties: { a: { type: 'array', items: { $ref: '#/$defs/d0' } } }, $defs })
    },
  )

  test('writing a long chain of references comes to an end', () => {
    const $defs = many(DEEP, (index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}` }])
    expect(expectBounded({ $ref: '#/$defs/d0', $defs })).toMatch(/^any \/\* left out/)
  })

  test('writing a schema of nothing but references comes to an end', () => {
    expect(expectBounded({ $ref: '#' })).toBe('Arguments')
    const $defs = { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }
    expect(expectBounded({ properties: { x: { $ref: '#/$defs/a' } }, $defs })).toContain('x?: ')
  })

  test('writing a schema that refers to itself under many names comes to an end', () => {
    const $defs = many(20_000, (index) => [`${index}/a`, { properties: { x: { $ref: `#/$defs/${index}~1a` } } }])
    const prefixItems = Array.from({ length: 20_000 }, (_, index) => ({ $ref: `#/$defs/${index}~1a` }))
    expectBounded({ prefixItems, $defs })
  })
})

describe('JSON on one line', () => {
  test('JSON on one line is what JSON.stringify writes, but for what could end the line', () => {
    const value = { a: [1, -0, 1.5, 1e21, true, null, 'x"\\\n'], b: {}, c: [], __proto__: 1 }
    expect(jsonText(value)).toBe(JSON.stringify(value))
    expect(jsonText(JSON.parse('{"__proto__":{"a":1},"":2}'))).toBe('{"__proto__":{"a":1},"":2}')
    expect(jsonText('\u2028\u2029\u0085')).toBe(String.raw`"\u2028\u2029\u0085"`)
    expect(jsonText([undefined, () => 1, Number.NaN])).toBe('[null,null,null]')
  })

  test('JSON on one line is cut where the value is too deep', () => {
    const text = jsonText(nested(DEEP, (inner) => [inner]))
    expect(JSON.parse(text)).toBeDefined()
    expect(text).toContain('["..."]')
  })

  test('JSON on one line is cut where the text is too long', () => {
    expect(jsonText(['abcdefghij', 'k'], 8)).toBe('["abcdef ... (cut)')
    expect(jsonText(['a'], 5)).toBe('["a"]')
  })
})

test('definitions that share definitions become no longer text than their schema is', () => {
  const fields = (of: unknown): object => Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`field_${at}`, of]))
  const level = (at: number): object => ({
    type: 'object',
    properties: at === 0 ? fields({ type: 'string', maxLength: 80 }) : fields({ $ref: `#/$defs/level_${at - 1}` }),
  })
  const $defs = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`level_${at}`, level(at)]))
  const schema = { $ref: '#/$defs/level_5', $defs }
  const type = expectBounded(schema)
  expect(type.length).toBeLessThan(JSON.stringify(schema).length)
  expect(type.match(/maxLength: 80/g)).toHaveLength(8)
  expect(type.match(/Level_0\b/g)).toHaveLength(8)
})
