import { describe, expect, test } from 'vitest'
import { createMatcher, jsonSchemaToGbnf, UnsupportedSchema } from '../../src/engines/grammar/index.js'
import { allows } from '../engines/grammar/walk.js'
import { pageOf } from './pages.js'

interface Example {
  readonly schema: object
  readonly right: unknown
  readonly wrong: unknown
}

/** `then` is no property that an object literal should have. */
function conditions(): Readonly<Record<'if' | 'then' | 'else', Example>> {
  const so = { schema: { if: { type: 'string' }, ...Object.fromEntries([['then', false]]) }, right: 1, wrong: 'a' }
  return {
    if: so,
    else: { schema: { if: { type: 'string' }, else: false }, right: 'a', wrong: 1 },
    ...Object.fromEntries([['then', so]]),
  } as never
}

/** For each keyword that is enforced: what it allows, and what nothing but it forbids. */
const HELD: Readonly<Record<string, Example>> = {
  type: { schema: { type: ['integer', 'null'] }, right: null, wrong: 'x' },
  enum: { schema: { enum: ['a', 1] }, right: 1, wrong: 'b' },
  const: { schema: { const: 'a' }, right: 'a', wrong: 'b' },
  properties: { schema: { type: 'object', properties: { a: { type: 'null' } } }, right: { a: null }, wrong: { a: 1 } },
  required: { schema: { type: 'object', required: ['a'] }, right: { a: 1 }, wrong: {} },
  additionalProperties: {
    schema: { type: 'object', additionalProperties: { type: 'null' } },
    right: { a: null },
    wrong: { a: 1 },
  },
  propertyNames: { schema: { type: 'object', propertyNames: { maxLength: 1 } }, right: { a: 1 }, wrong: { ab: 1 } },
  patternProperties: {
    schema: { type: 'object', patternProperties: { '^a': { type: 'null' } }, additionalProperties: false },
    right: { ab: null },
    wrong: { b: null },
  },
  minProperties: { schema: { type: 'object', minProperties: 1 }, right: { a: 1 }, wrong: {} },
  maxProperties: { schema: { type: 'object', maxProperties: 1 }, right: { a: 1 }, wrong: { a: 1, b: 1 } },
  items: { schema: { items: { type: 'null' } }, right: [null], wrong: [1] },
  prefixItems: { schema: { prefixItems: [{ type: 'null' }] }, right: [null, 1], wrong: [1] },
  additionalItems: { schema: { items: [true], additionalItems: false }, right: [1], wrong: [1, 2] },
  minItems: { schema: { minItems: 1 }, right: [1], wrong: [] },
  maxItems: { schema: { maxItems: 1 }, right: [1], wrong: [1, 2] },
  minLength: { schema: { minLength: 2 }, right: '\u{1F600}b', wrong: '\u{1F600}' },
  maxLength: { schema: { maxLength: 1 }, right: '\u{1F600}', wrong: 'ab' },
  pattern: { schema: { pattern: '^a' }, right: 'ab', wrong: 'ba' },
  format: { schema: { format: 'date' }, right: '2024-02-29', wrong: '2023-02-29' },
  minimum: { schema: { minimum: 1.5 }, right: 1.5, wrong: 1.25 },
  maximum: { schema: { maximum: 10 }, right: 10, wrong: 10.5 },
  exclusiveMinimum: { schema: { exclusiveMinimum: 1 }, right: 1.5, wrong: 1 },
  exclusiveMaximum: { schema: { exclusiveMaximum: 10 }, right: 9, wrong: 10 },
  multipleOf: { schema: { type: 'integer', multipleOf: 250 }, right: -1500, wrong: 1400 },
  anyOf: { schema: { anyOf: [{ type: 'null' }, { const: 1 }] }, right: 1, wrong: 2 },
  oneOf: { schema: { oneOf: [{ type: 'null' }, { const: 1 }] }, right: 1, wrong: 2 },
  allOf: { schema: { allOf: [{ minLength: 1 }, { maxLength: 2 }] }, right: 'a', wrong: 'abc' },
  not: { schema: { not: { enum: ['a', null] } }, right: 'b', wrong: 'a' },
  ...conditions(),
  dependentRequired: { schema: { dependentRequired: { a: ['b'] } }, right: { b: 1 }, wrong: { a: 1 } },
  dependentSchemas: {
    schema: { dependentSchemas: { a: { required: ['b'] } } },
    right: { a: 1, b: 1 },
    wrong: { a: 1 },
  },
  dependencies: { schema: { dependencies: { a: ['b'] } }, right: { a: 1, b: 1 }, wrong: { a: 1 } },
  $ref: { schema: { $ref: '#/$defs/a', $defs: { a: { type: 'null' } } }, right: null, wrong: 1 },
  $defs: { schema: { $defs: { 'a/b~%': { type: 'null' } }, $ref: '#/$defs/a~1b~0%25' }, right: null, wrong: 1 },
  definitions: { schema: { definitions: { a: { type: 'null' } }, $ref: '#/definitions/a' }, right: null, wrong: 1 },
}
/** For each keyword that is relaxed: a value of it. */
const RELAXED: Readonly<Record<string, unknown>> = {
  contains: {},
  uniqueItems: true,
  unevaluatedItems: false,
  unevaluatedProperties: false,
  $dynamicRef: '#a',
  $recursiveRef: '#',
}
/** What is relaxed together with the keyword that it stands beside. */
const BESIDE = ['minContains', 'maxContains']

/** The keywords of the table's rows, by what becomes of them. */
const rows = [...pageOf('docs/strict.md').matchAll(/^\| (.+?) \| (enforced|annotation|relaxed) \|/gm)].flatMap(
  ([, keywords = '', becomes = '']) =>
    [...keywords.matchAll(/`([^`]+)`/g)].map(([, keyword = '']) => ({ keyword, becomes })),
)
const keywordsThat = (becomes: string): string[] =>
  rows.filter((row) => row.becomes === becomes).map(({ keyword }) => keyword)
const isAllowed = (schema: object, value: unknown): boolean =>
  allows(createMatcher(jsonSchemaToGbnf(schema)), JSON.stringify(value))

describe('the table of docs/strict.md', () => {
  test('each keyword that docs/strict.md says is enforced, or relaxed, has a case here', () => {
    expect(keywordsThat('enforced').toSorted()).toEqual(Object.keys(HELD).toSorted())
    expect(keywordsThat('relaxed').toSorted()).toEqual([...Object.keys(RELAXED), ...BESIDE].toSorted())
  })

  test.each(keywordsThat('enforced'))('the keyword %s is enforced', (keyword) => {
    const { schema, right, wrong } = HELD[keyword] as Example
    expect(isAllowed(schema, right)).toBe(true)
    expect(isAllowed(schema, wrong)).toBe(false)
    // Those that stand beside it in its case only because it needs them.
    const own = [keyword, '$ref', ...(keyword === 'patternProperties' ? ['additionalProperties'] : [])]
    const without = Object.fromEntries(Object.entries(schema).filter(([name]) => !own.includes(name)))
    expect(isAllowed(without, wrong)).toBe(true)
  })

  test.each(Object.keys(RELAXED))('the keyword %s is relaxed, with its path', (keyword) => {
    const schema = {
      type: ['object', 'array'],
      ...(keyword === 'if' && Object.fromEntries([['then', {}]])),
      [keyword]: RELAXED[keyword],
    }
    const expected = expect.objectContaining({ name: 'UnsupportedSchema', path: `/items/${keyword}` }) as Error
    expect(() => jsonSchemaToGbnf({ type: 'array', items: schema })).toThrow(expected)
  })

  test.each([...keywordsThat('annotation'), 'x-anything'])('the keyword %s changes nothing', (keyword) => {
    const schema = { type: 'string', maxLength: 3 }
    expect(jsonSchemaToGbnf({ ...schema, [keyword]: 'https://example.com/x' })).toBe(jsonSchemaToGbnf(schema))
  })

  test('each format that docs/strict.md names is enforced, and others are not', () => {
    const row = /^\| `format` \| enforced \|([^;]*);/m.exec(pageOf('docs/strict.md'))?.[1] ?? ''
    const formats = [...row.matchAll(/`([^`]+)`/g)].map(([, format]) => format)
    expect(formats.length).toBe(15)
    for (const format of formats) expect(isAllowed({ format }, 'not any\nof them')).toBe(false)
    expect(isAllowed({ format: 'regex' }, 'not any\nof them')).toBe(true)
  })

  test('the limits of docs/strict.md are those of the code', () => {
    const refused = (schema: object): boolean => {
      try {
        jsonSchemaToGbnf(schema)
        return false
      } catch (error) {
        return error instanceof UnsupportedSchema
      }
    }
    const LIMITS = { minLength: 100_000, maxLength: 2 ** 31, minItems: 100_000, maxItems: 2 ** 31 }
    for (const [keyword, limit] of Object.entries(LIMITS)) {
      expect(refused({ [keyword]: limit })).toBe(false)
      expect(refused({ [keyword]: limit + 1 })).toBe(true)
    }
    expect([refused({ minimum: 0.123456789 }), refused({ minimum: 0.1234567891 })]).toEqual([false, true])
    const start = createMatcher(jsonSchemaToGbnf({ type: 'number' }))
    const allowsDigits = (count: number): boolean => allows(start, '1'.repeat(count))
    const allowsDecimals = (count: number): boolean => allows(start, `0.${'1'.repeat(count)}`)
    expect([allowsDigits(21), allowsDigits(22), allowsDecimals(25), allowsDecimals(26)]).toEqual([
      true,
      false,
      true,
      false,
    ])
  })
})
