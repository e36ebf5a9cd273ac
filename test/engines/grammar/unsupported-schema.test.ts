import { describe, expect, test } from 'vitest'
import { createMatcher, jsonSchemaToGbnf, regexToGbnf, UnsupportedSchema } from '../../../src/engines/grammar/index.js'
import { atOnce } from '../../../src/shared/slices.js'

/** The path and the message of a refusal. */
function refusal(schema: unknown): { path: string; message: string } {
  try {
    jsonSchemaToGbnf(schema)
  } catch (error) {
    if (error instanceof UnsupportedSchema) return { path: error.path, message: error.message }
    throw error
  }
  throw new Error('not refused')
}

const inProperty = (schema: unknown): unknown => ({ type: 'object', properties: { 'a/b': schema } })

describe('keywords that a grammar cannot hold are refused, with their path', () => {
  test.each([
    ['not', { not: { multipleOf: 2 } }],
    [
      'if',
      Object.fromEntries([
        ['if', { multipleOf: 2 }],
        ['then', { maximum: 1 }],
      ]),
    ],
    ['contains', { type: 'array', contains: true }],
    ['uniqueItems', { type: 'array', uniqueItems: true }],
    ['unevaluatedProperties', { unevaluatedProperties: false }],
    ['minProperties', { type: 'object', minProperties: 2 }],
    ['maxProperties', { type: 'object', properties: { a: {} }, maxProperties: 1 }],
    ['patternProperties', { type: 'object', patternProperties: { 'a(?=b)': true } }],
    ['multipleOf', { type: 'number', multipleOf: 0.1 }],
    ['pattern', { type: 'string', pattern: '(?=a)b' }],
    [
      'oneOf',
      {
        oneOf: [
          { type: 'string', format: 'uri' },
          { type: 'string', format: 'email' },
        ],
      },
    ],
    ['$ref', { $ref: 'https://example.com/schema.json' }],
    ['type', { type: 'text' }],
    ['minimum', { type: 'integer', minimum: '1' }],
    ['maxLength', { type: 'string', maxLength: 2 ** 32 }],
  ])('a keyword that a grammar cannot hold is refused with its path: %s', (keyword, schema) => {
    expect(refusal(inProperty(schema)).path).toBe(`/properties/a~1b/${keyword}`)
  })

  test('a reference that leads back to itself is refused', () => {
    expect(refusal({ $ref: '#' }).message).toContain('leads back')
    expect(refusal({ anyOf: [{ $ref: '#' }, { type: 'null' }] }).message).toContain('leads back')
  })

  test('a schema that no finite value is valid against is refused', () => {
    const endless = { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] }
    expect(refusal(endless)).toEqual({ path: '', message: 'No value is valid against this schema.' })
    expect(refusal(false).path).toBe('')
  })

  test('a schema too deep or too large is refused', () => {
    let deep: unknown = { type: 'string' }
    for (let level = 0; level < 10_000; level++) deep = { type: 'array', items: deep }
    expect(refusal(deep).message).toContain('More than 100 levels are not supported')
    expect(refusal({ enum: ['x'.repeat(10_000_000)] }).message).toContain('The schema is too large to be enforced')
  })

  test('schemas that are made to take for ever, or to overflow, are refused', () => {
    let deep: unknown = { type: 'string' }
    for (let level = 0; level < 5_000; level++) deep = { allOf: [deep] }
    const many = <Value>(count: number, make: (n: number) => Value): Value[] =>
      Array.from({ length: count }, (_, n) => make(n))
    const hostile: readonly unknown[] = [
      deep,
      { oneOf: many(100_000, (n) => ({ const: n })) },
      { anyOf: many(300_000, (n) => ({ const: n })) },
      { enum: many(300_000, (n) => n) },
      { prefixItems: many(100_000, () => true) },
      { properties: Object.fromEntries(many(100_000, (n) => [`p${n}`, true])) },
      { properties: { ['x'.repeat(100_000)]: true } },
      { allOf: many(12, (n) => ({ anyOf: [{ minLength: n }, { maxLength: n + 50 }] })) },
      { type: 'string', pattern: `^${'(a?b?'.repeat(40)}${')*'.repeat(40)}$` },
      { type: 'string', pattern: `(${'a?'.repeat(990)})*` },
      { type: 'string', pattern: 'a'.repeat(10_000) },
    ]
    for (const schema of hostile) expect(refusal(schema).message).not.toBe('')
  })

  test('a schema with two references at each of forty levels is read once, and held', () => {
    const twice = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [
        `a${n}`,
        n === 39 ? { type: 'string' } : { allOf: [{ $ref: `#/$defs/a${n + 1}` }, { $ref: `#/$defs/a${n + 1}` }] },
      ]),
    )
    const start = createMatcher(jsonSchemaToGbnf({ $ref: '#/$defs/a0', $defs: twice }))
    expect(start.accept('"a"')?.isComplete).toBe(true)
    expect(start.accept('1')).toBeUndefined()
  })

  test('a tuple of a thousand optional parts is no deep one', () => {
    const schema = { type: 'array', prefixItems: Array.from({ length: 1000 }, () => ({ type: 'null' })), items: false }
    expect(jsonSchemaToGbnf(schema).split('\n').length).toBeGreaterThan(1000)
  })

  test('regular expressions with lookaround, backreferences and word boundaries are refused', () => {
    for (const pattern of ['a(?!b)', '(a)\\1', '\\bword', '(?<=x)y', '\\p{L}', 'a(^b)', '(', '(^a)*']) {
      expect(() => atOnce(regexToGbnf(pattern)), pattern).toThrow(UnsupportedSchema)
    }
  })
})
