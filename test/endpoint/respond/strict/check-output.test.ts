import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { InvalidOutput } from '../../../../src/endpoint/respond/options.js'
import { checkOutput as checkInSlices } from '../../../../src/endpoint/respond/strict/check-output.js'
import { textTest as testInSlices } from '../../../../src/endpoint/respond/strict/text-test.js'
import { atOnce } from '../../../../src/shared/slices.js'
import { runs } from '../../../support/runs.js'

const checkOutput = (...given: Parameters<typeof checkInSlices>): InvalidOutput['errors'] =>
  atOnce(checkInSlices(...given))
function textTest(pattern: string, how: 'whole' | 'search'): ((text: string) => boolean) | undefined {
  const found = atOnce(testInSlices(pattern, how))
  return found && ((text) => atOnce(found(text)))
}
const json = (jsonSchema: object): { jsonSchema: { [keyword: string]: unknown } } => ({
  jsonSchema: jsonSchema as { [keyword: string]: unknown },
})
const isRight = (value: unknown, schema: object): boolean =>
  checkOutput(JSON.stringify(value), json(schema)).length === 0

describe('faults of output', () => {
  test('faults of output are reported with a pointer to each place', () => {
    const schema = {
      type: 'object',
      properties: { 'a/b': { type: 'array', items: { type: 'integer' } } },
      required: ['c'],
    }
    const errors = checkOutput('{"a/b":[1,"2"]}', json(schema))
    const keyword = '/properties/a~1b/items/type'
    expect(errors).toContainEqual({ path: '/a~1b/1', message: expect.stringContaining('"integer"'), keyword })
    expect(errors).toContainEqual({ path: '', message: expect.stringContaining('"c"'), keyword: '/required' })
  })

  test('output is checked by the draft that its schema names: draft 7 reads nothing beside a reference', () => {
    const schema = { definitions: { any: {} }, properties: { a: { $ref: '#/definitions/any', type: 'string' } } }
    expect(isRight({ a: 1 }, schema)).toBe(false)
    expect(isRight({ a: 1 }, { ...schema, $schema: 'http://json-schema.org/draft-07/schema#' })).toBe(true)
    const bound = { $schema: 'http://json-schema.org/draft-04/schema#', minimum: 3, exclusiveMinimum: true }
    expect([isRight(3, bound), isRight(4, bound)]).toEqual([false, true])
  })

  test.each(['', '{', "{'a':1}", 'Sure: {}', '{}{}'])('output that is no JSON is reported as such: %j', (text) => {
    expect(checkOutput(text, json({}))).toEqual([{ path: '', message: 'The text is not JSON.' }])
  })

  test('output that a regular expression does not match as a whole is wrong', () => {
    expect(checkOutput('abc', { regex: 'ab|abc' })).toEqual([])
    expect(checkOutput('abcd', { regex: 'ab|abc' })).toHaveLength(1)
  })

  test('nothing is known to be wrong with output for a grammar of Lark', () => {
    expect(checkOutput('anything', { grammar: 'start: "a"', syntax: 'lark' })).toEqual([])
  })

  test.each([
    [{ required: ['constructor'] }, {}, false],
    [{ properties: { toString: { type: 'string' } } }, {}, true],
    [{ required: ['__proto__'] }, JSON.parse('{"__proto__":1}'), true],
    [{ additionalProperties: false }, JSON.parse('{"__proto__":1}'), false],
  ])('the check of output does not depend on what every object inherits: %j', (schema, value, right) => {
    expect(isRight(value, schema)).toBe(right)
  })
})

describe('patterns', () => {
  test('patterns are found in a text as JavaScript finds them', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '(?:a|bc)', '\\.', 'é', '💥')
    const repeated = fc.tuple(atom, fc.constantFrom('', '*', '+', '?', '{2}', '{0,2}')).map((parts) => parts.join(''))
    const pattern = fc
      .tuple(fc.boolean(), fc.array(repeated, { maxLength: 4 }), fc.boolean())
      .map(([isFirst, parts, isLast]) => `${isFirst ? '^' : ''}${parts.join('')}${isLast ? '$' : ''}`)
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', '.', 'é', '💥', '\n'), maxLength: 80 })
    fc.assert(
      fc.property(pattern, text, (source, given) => {
        expect(textTest(source, 'search')?.(given)).toBe(new RegExp(source, 'u').test(given))
        expect(textTest(source, 'whole')?.(given)).toBe(new RegExp(`^(?:${source})$`, 'u').test(given))
      }),
      { numRuns: runs(100) },
    )
  })

  test('patterns mean in a schema what they mean to ajv, wherever they stand', () => {
    const text = fc.constantFrom('', 'a', 'ab', 'b.c', 'x|y', '1', '$', 'a\nb', '(a)')
    const pattern = fc.constantFrom('a', '^a', 'b$', '^[a-c]+$', '\\d', '\\.', '^$', '\\|', 'x(?=y)')
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        text,
        fc.integer(),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(text, tie('any'), { maxKeys: 3 }),
      ),
    })).any
    const { schema } = fc.letrec<{ schema: object }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        pattern.map((each) => ({ pattern: each })),
        fc.record({ not: tie('schema') }),
        fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
        fc.record({ items: tie('schema') }),
        fc.record({
          additionalProperties: fc.constant(false),
          patternProperties: fc.dictionary(pattern, tie('schema'), { maxKeys: 2 }),
        }),
        fc.record({ propertyNames: tie('schema') }),
        fc.record({ properties: fc.dictionary(fc.constantFrom('pattern', 'a', 'ab'), tie('schema'), { maxKeys: 2 }) }),
      ),
    }))
    const ajv = new Ajv2020({ strict: false })
    fc.assert(
      fc.property(schema, value, (given, instance) => {
        const isValid = ajv.compile(given)(instance) as boolean
        let found: boolean
        try {
          found = isRight(instance, given)
        } catch (error) {
          // What is negated and cannot be checked.
          expect(JSON.stringify(given)).toContain('(?=')
          expect(error).toMatchObject({ message: expect.stringContaining('negates') })
          return
        }
        // What cannot be checked is allowed.
        if (JSON.stringify(given).includes('(?=')) expect(found || !isValid).toBe(true)
        else expect(found).toBe(isValid)
      }),
      { numRuns: runs(200) },
    )
  })
})

describe('a hostile schema', () => {
  const LONG = 'a'.repeat(20_000)

  test.each([
    ['a pattern that takes for ever', { pattern: '^(a+)+$' }, `${LONG}!`, false],
    ['a pattern that takes for ever, where it matches', { pattern: '^(a|aa)+$' }, LONG, true],
    ['a format that takes for ever', { format: 'url' }, `http://${LONG}`, true],
    ['names that take for ever', { patternProperties: { '^(a+)+$': false } }, { [`${LONG}!`]: 1 }, true],
    ['items that are to be unique', { uniqueItems: true }, Array.from({ length: 30_000 }, (_, at) => [at]), true],
  ])('a hostile schema does not hold up the check: %s', (_what, schema, value, right) => {
    expect(isRight(value, schema)).toBe(right)
  })

  test.each<[string, object, unknown]>([
    ['a reference to itself', { $ref: '#' }, 1],
    ['references in a circle', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, 1],
    ['a reference to nowhere', { $ref: 'https://example.com/x' }, 1],
    ['schemas that double', { $ref: '#/$defs/s40', $defs: doubling(40) }, 1],
    ['too many ways', { pattern: `^${'(a|aa)*'.repeat(50)}(a{0,900}){0,900}b$` }, LONG],
    [
      'many patterns, each of which is little work',
      { properties: Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`p${at}`, { pattern: `${at}` }])) },
      LONG,
    ],
    ['too long a text', { type: 'string' }, 'a'.repeat(1_000_001)],
  ])('the check of a hostile schema is given up: %s', (_what, schema, value) => {
    expect(() => checkOutput(JSON.stringify(value), json(schema))).toThrow()
  })

  /** Each of them is two of the one before. */
  function doubling(count: number): object {
    const schemas: { [name: string]: object } = { s0: { type: 'string' } }
    for (let at = 1; at <= count; at++) {
      const inner = { $ref: `#/$defs/s${at - 1}` }
      schemas[`s${at}`] = { anyOf: [inner, inner] }
    }
    return schemas
  }
})
