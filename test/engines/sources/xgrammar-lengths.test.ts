import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Constraint, FittedConstraint } from '../../../src/engines/contract/index.js'
import { enforcedBy } from '../../../src/engines/sources/structured-outputs/fit-constraint.js'
import { plainSchema } from '../../../src/engines/sources/structured-outputs/plain-schema.js'
import { lengthsAsPatterns } from '../../../src/engines/sources/structured-outputs/xgrammar-lengths.js'
import { atOnce } from '../../../src/shared/slices.js'
import { runs } from '../../support/runs.js'
import { anyCase } from '../grammar/schemas.js'

const read = (schema: object) => atOnce(lengthsAsPatterns(schema as never))
const string = (lengths: object): object => ({ type: 'string', ...lengths })
const patternOf = (lengths: object): RegExp => new RegExp(String(read(string(lengths)).schema['pattern']), 'u')
const object = (properties: object): object => ({ type: 'object', properties })
const fitted = (jsonSchema: object): FittedConstraint =>
  atOnce(enforcedBy('xgrammar', { hasLark: true }).fit?.({ jsonSchema: jsonSchema as never }) ?? expect.fail('no fit'))
const isGrammar = (constraint: Constraint | undefined): boolean => constraint !== undefined && 'grammar' in constraint

describe('lengths of strings, for xgrammar, whose own accept raw control characters', () => {
  test('the pattern accepts the strings of these lengths, and no others', () => {
    const length = fc.integer({ min: 0, max: 240 })
    fc.assert(
      fc.property(length, length, length, fc.constantFrom('a', 'é', '😀'), (some, other, count, character) => {
        const [minLength, maxLength] = some < other ? [some, other] : [other, some]
        expect(patternOf({ minLength, maxLength }).test(character.repeat(count))).toBe(
          minLength <= count && count <= maxLength,
        )
      }),
      { numRuns: runs(2000) },
    )
  })

  test.each([
    [{ maxLength: 0 }, ['']],
    [{ minLength: 1 }, ['a', 'a'.repeat(500)]],
    [{ minLength: 50, maxLength: 50 }, ['a'.repeat(50)]],
    [{ minLength: 51 }, ['a'.repeat(51), 'a'.repeat(99)]],
    [{ maxLength: 500 }, ['', 'a'.repeat(99), 'a'.repeat(500)]],
  ])('the pattern of %j accepts %j', (lengths, texts) => {
    for (const text of texts) expect(patternOf(lengths).test(text)).toBe(true)
  })

  test.each([
    [{ maxLength: 0 }, 'a'],
    [{ minLength: 1 }, ''],
    [{ minLength: 51 }, 'a'.repeat(50)],
    [{ maxLength: 500 }, 'a'.repeat(501)],
  ])('the pattern of %j refuses %j', (lengths, text) => {
    expect(patternOf(lengths).test(text)).toBe(false)
  })

  test.each(['\0', '\t', '\n', '\x1f', '"', '\\'])('no pattern accepts %j, which JSON escapes', (character) => {
    for (const lengths of [{ minLength: 1 }, { maxLength: 9 }, { minLength: 60, maxLength: 200 }]) {
      expect(patternOf(lengths).test(`${'a'.repeat(70)}${character}`)).toBe(false)
      expect(patternOf(lengths).test(character)).toBe(false)
    }
  })

  test('no repetition is of more characters than xgrammar handles fast', () => {
    for (const lengths of [{ maxLength: 500 }, { minLength: 499 }, { minLength: 101, maxLength: 400 }]) {
      const counts = patternOf(lengths).source.matchAll(/(\d+)\}/g)
      expect(Math.max(...Array.from(counts, ([, count]) => Number(count)))).toBeLessThan(100)
    }
  })

  test('a length that is too long to be counted is left out and named, and the other one stays', () => {
    const { schema, leftOut } = read(object({ a: string({ minLength: 1, maxLength: 501 }) }))
    expect(schema).toEqual(object({ a: { type: 'string', pattern: '^[^\\x00-\\x1f"\\\\]{1}[^\\x00-\\x1f"\\\\]*$' } }))
    expect(leftOut).toEqual([
      {
        path: '/properties/a/maxLength',
        message: "The engine's grammar backend does not enforce 'maxLength' here.",
      },
    ])
  })

  test('different lengths count together, and equal ones once', () => {
    const of = (...lengths: number[]): string[] =>
      read({ type: 'array', prefixItems: lengths.map((maxLength) => string({ maxLength })) }).leftOut.map(
        ({ path }) => path,
      )
    expect(of(300, 300, 300)).toEqual([])
    expect(of(300, 201, 200)).toEqual(['/prefixItems/1/maxLength'])
  })

  test('lengths that no string has are left out and named', () => {
    const { schema, leftOut } = read(string({ minLength: 2, maxLength: 1 }))
    expect(schema).toEqual(string({}))
    expect(leftOut.map(({ path }) => path)).toEqual(['/minLength', '/maxLength'])
  })

  test('a minimum of 0 means nothing', () => {
    expect(read(string({ minLength: 0 }))).toEqual({ schema: string({}), leftOut: [], hasLengths: false })
  })

  test.each([
    [{ $defs: { a: string({ maxLength: 9 }) }, $ref: '#/$defs/a' }],
    [{ definitions: { a: string({ maxLength: 9 }) }, $ref: '#/definitions/a' }],
    [{ anyOf: [{ type: 'null' }, string({ maxLength: 9 })] }],
    [{ type: 'array', items: string({ maxLength: 9 }) }],
    [{ type: 'object', additionalProperties: string({ maxLength: 9 }) }],
    [object({ maxLength: string({ maxLength: 9 }) })],
    [object({ minLength: { enum: [{ maxLength: 9 }] }, a: string({ maxLength: 9 }) })],
  ])('lengths are found anywhere: %j', (schema) => {
    const { schema: patterned, hasLengths } = read(schema)
    expect(hasLengths).toBe(true)
    expect(JSON.stringify(patterned)).toContain('"pattern":')
    expect(JSON.stringify(patterned)).not.toMatch(/"type":"string","m/)
  })
})

describe('schemas with lengths, as xgrammar is sent them', () => {
  test.each([[{ minLength: 1 }], [{ maxLength: 8 }], [{ minLength: 2, maxLength: 5 }]])(
    'those of %j come as our grammar, which has escapes',
    (lengths) => {
      const { constraint, relaxed } = fitted(object({ a: string(lengths) }))
      expect([isGrammar(constraint), relaxed]).toEqual([true, []])
    },
  )

  test('longer ones come as patterns', () => {
    const { constraint, relaxed } = fitted(object({ a: string({ maxLength: 200 }) }))
    expect(relaxed).toEqual([])
    expect(constraint).toEqual({
      jsonSchema: object({ a: { type: 'string', pattern: patternOf({ maxLength: 200 }).source } }),
    })
  })

  test('the parts that our grammar can express come as our grammar where xgrammar leaves others out', () => {
    const schema = { ...object({ a: string({ maxLength: 8 }) }), unevaluatedProperties: { $ref: '#' } }
    const { constraint, relaxed } = fitted(schema)
    expect(isGrammar(constraint)).toBe(true)
    expect(relaxed.map(({ path }) => path)).toEqual(['/unevaluatedProperties'])
  })

  test('a format that xgrammar holds in part comes as our grammar where a length beside it is left out', () => {
    const schema = object({ a: string({ maxLength: 600 }), d: { type: 'string', format: 'date' } })
    const { constraint, relaxed } = fitted(schema)
    expect(isGrammar(constraint)).toBe(true)
    expect(relaxed.map(({ path }) => path)).toEqual(['/properties/a/maxLength'])
  })

  test('no schema has a length', () => {
    fc.assert(
      fc.property(anyCase(), ({ schema }) => {
        fc.pre(typeof schema === 'object' && schema !== null)
        const { constraint } = fitted(schema)
        fc.pre(constraint !== undefined && 'jsonSchema' in constraint)
        const sent = atOnce(plainSchema((constraint as { jsonSchema: never }).jsonSchema, 'xgrammar'))
        expect(atOnce(lengthsAsPatterns(sent.schema)).hasLengths).toBe(false)
      }),
      { numRuns: runs(500) },
    )
  })
})
