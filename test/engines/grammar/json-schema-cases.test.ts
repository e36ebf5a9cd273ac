import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMatcher, jsonSchemaToGbnf, type MatcherState } from '../../../src/engines/grammar/index.js'
import { codePoint } from '../../../src/judge/conformance/arbitraries/code-point.js'
import { runs } from '../../support/runs.js'
import { allows } from './walk.js'

const matcherOf = (schema: unknown): MatcherState => createMatcher(jsonSchemaToGbnf(schema))
const verdicts = (schema: unknown, ...texts: string[]): boolean[] =>
  texts.map((text) => allows(matcherOf(schema), text))

describe('the texts of a schema', () => {
  test('properties come in their declared order, the optional ones or not, each once', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'null' }, b: { type: 'null' }, c: { type: 'null' } },
      required: ['b'],
      additionalProperties: false,
    }
    const right = ['{"b":null}', '{"a":null,"b":null}', '{"b":null,"c":null}', '{ "a": null, "b": null, "c": null }']
    const wrong = [
      '{}',
      '{"a":null}',
      '{"b":null,"a":null}',
      '{"b":null,"b":null}',
      '{"b":null,}',
      '{"b":null,"d":null}',
    ]
    expect(verdicts(schema, ...right)).toEqual(right.map(() => true))
    expect(verdicts(schema, ...wrong)).toEqual(wrong.map(() => false))
  })

  test('what stands beside a reference is read from 2019-09 on, and not in the drafts before', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'string', $ref: '#/definitions/b' },
        c: { anyOf: [{ type: 'null', $ref: '#/definitions/b' }] },
      },
      required: ['a', 'c'],
      additionalProperties: false,
      definitions: { b: { type: ['integer', 'string', 'null'] } },
    }
    const old = (draft: string): object => ({ $schema: `http://json-schema.org/${draft}/schema#`, ...schema })
    for (const draft of ['draft-04', 'draft-06', 'draft-07']) {
      expect(verdicts(old(draft), '{"a":1,"c":2}', '{"a":true,"c":2}')).toEqual([true, false])
    }
    const recent = { ...schema, $schema: 'https://json-schema.org/draft/2020-12/schema' }
    for (const each of [schema, recent]) {
      expect(verdicts(each, '{"a":1,"c":null}', '{"a":"x","c":2}', '{"a":"x","c":null}')).toEqual([false, false, true])
    }
  })

  test('blanks are at most one, and never an end of a line', () => {
    const right = ['[ 1, 2 ]', '[1,2]', '[ ]', '[]']
    const wrong = ['[  1]', '[1 ,2]', '[\n1]', ' [1]', '[1] ']
    expect(verdicts({ type: 'array', items: { type: 'integer' } }, ...right)).toEqual(right.map(() => true))
    expect(verdicts({ type: 'array', items: { type: 'integer' } }, ...wrong)).toEqual(wrong.map(() => false))
  })

  test('a name that is not declared is none of the declared ones, and spelled as JSON.stringify does', () => {
    const schema = { type: 'object', properties: { ab: { type: 'null' } }, additionalProperties: { type: 'integer' } }
    const right = ['{"ab":null,"a":1}', '{"abc":1}', '{"":1}', '{"\\u001f":1}', '{"a\\n\\"":1}', '{"é":1}']
    const wrong = ['{"ab":1}', '{"a\\u0062":1}', '{"\\u0061b":1}', '{"ab":null,"ab":1}', '{"a":null}', '{"a\\u0063":1}']
    expect(verdicts(schema, ...right)).toEqual(right.map(() => true))
    expect(verdicts(schema, ...wrong)).toEqual(wrong.map(() => false))
  })

  test('a number is at most the largest double, and never one that is read as Infinity', () => {
    const right = ['1.7976931348623157e+308', '-1.7976931348623157e308', '1.7e+308', '1.79e308', '1e308', '9e307']
    const wrong = ['1.7976931348623159e+308', '1.8e308', '1.79769313486232e308', '2e308', '1e309', '-1.9E+308']
    expect(wrong.slice(1).map((text) => Math.abs(Number(text)))).toEqual(wrong.slice(1).map(() => Infinity))
    expect(verdicts({ type: 'number' }, ...right)).toEqual(right.map(() => true))
    expect(verdicts({ type: 'number' }, ...wrong)).toEqual(wrong.map(() => false))
  })

  test('names such as __proto__ are names', () => {
    const properties = JSON.parse('{"__proto__":{"type":"integer"},"constructor":{"type":"null"}}') as object
    const closed = { type: 'object', properties, required: ['__proto__'], additionalProperties: false }
    expect(
      verdicts(closed, '{"__proto__":1}', '{"__proto__":1,"constructor":null}', '{"__proto__":"x"}', '{}'),
    ).toEqual([...[true, true, false, false]])
    const open = { type: 'object', required: ['toString'] }
    expect(verdicts(open, '{"toString":1}', '{}')).toEqual([true, false])
    expect(() => jsonSchemaToGbnf({ $ref: '#/constructor' })).toThrow('points at nothing')
  })

  test('no name or value of a schema ends a literal', () => {
    const hostile = fc.string({
      unit: fc.oneof(
        fc.constantFrom('"', '\\', '\n', '\r', '\0', '\ud800', '::=', '#', '|', ')'),
        fc.string({ unit: codePoint, maxLength: 1 }),
      ),
    })
    fc.assert(
      fc.property(hostile, hostile, (name, value) => {
        const schema = {
          type: 'object',
          properties: { [name]: { const: value } },
          required: [name],
          additionalProperties: false,
        }
        const gbnf = jsonSchemaToGbnf(schema)
        expect(gbnf).not.toMatch(/(?!\n)\p{Cc}|[\u2028\u2029\ufeff\p{Cs}]/u)
        expect(allows(createMatcher(gbnf), JSON.stringify({ [name]: value }))).toBe(true)
        expect(createMatcher(gbnf).completion()).toBe(JSON.stringify({ [name]: value }))
      }),
      { numRuns: runs(500) },
    )
  })

  test('a string has no half of a surrogate pair, and counts a pair as one', () => {
    const schema = { type: 'string', minLength: 1, maxLength: 1 }
    expect(verdicts(schema, '"\\ud83d\\ude00"', '"😀"', '"\\uD83D"', '"\\ude00"', '"\\ud83d\\u0041"')).toEqual([
      ...[true, true, false, false, false],
    ])
  })

  test('recursive schemas are held at any depth', () => {
    const schema = {
      $defs: {
        node: {
          type: 'object',
          properties: { value: { type: 'integer' }, next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } },
          required: ['value', 'next'],
          additionalProperties: false,
        },
      },
      $ref: '#/$defs/node',
    }
    const nested = (depth: number, end: string): string =>
      `${'{"value":1,"next":'.repeat(depth)}${end}${'}'.repeat(depth)}`
    expect(verdicts(schema, nested(50, 'null'), nested(50, '1'), nested(1, 'null'))).toEqual([true, false, true])
  })

  test('parts of allOf hold together, also with additionalProperties of one of them', () => {
    const schema = {
      type: 'object',
      properties: { b: { minimum: 3 } },
      allOf: [{ $ref: '#/$defs/base' }, { required: ['a'], properties: { a: { maxLength: 2 } } }],
      $defs: { base: { properties: { a: { type: 'string' }, b: { type: 'integer' } }, additionalProperties: false } },
    }
    const wrong = ['{}', '{"a":"xyz"}', '{"a":1}', '{"b":2,"a":"x"}', '{"b":3,"a":"x","c":1}']
    expect(verdicts(schema, '{"b":3,"a":"x"}', '{"a":"xy"}')).toEqual([true, true])
    expect(verdicts(schema, ...wrong)).toEqual(wrong.map(() => false))
  })

  test('patternProperties is held beside declared properties, where the names that match can be told from others', () => {
    const ofDeclared = {
      properties: { a: { type: 'string' }, 'x-a': { minLength: 2 } },
      patternProperties: { z$: { type: 'string' } },
      additionalProperties: { type: 'null' },
    }
    const told = { ...ofDeclared, type: 'object' }
    expect(verdicts(told, '{"z":""}', '{"az":1}', '{"az":null}', '{"b":null}', '{"b":1}')).toEqual([
      ...[true, false, false, true, false],
    ])
    const schema = { ...told, patternProperties: { '^y-': { type: 'integer' } } }
    expect(verdicts(schema, '{"a":"","y-":1}', '{"x-a":"bb"}', '{"y":null}', '{"":null,"y-b":2}')).toEqual([
      ...[true, true, true, true],
    ])
    expect(verdicts(schema, '{"y-":null}', '{"y":1}', '{"y-b":"a"}', '{"x-a":"b"}', '{"z":1}')).toEqual([
      ...[false, false, false, false, false],
    ])
    const closed = { ...schema, patternProperties: { '[0-9]$': { type: 'integer' } }, additionalProperties: false }
    expect(verdicts(closed, '{"b2":1}', '{"b2":"1"}', '{"b":1}')).toEqual([true, false, false])
    const named = { ...closed, properties: { b2: { minimum: 3 } } }
    expect(verdicts(named, '{"b2":3,"c2":1}', '{"b2":1}', '{"b2":3,"b2":4}')).toEqual([true, false, false])
    const all = { type: 'object', properties: { a: true }, patternProperties: { '.+': { type: 'integer' } } }
    expect(verdicts(all, '{"a":1,"b":2}', '{"a":"1"}', '{"b":"1"}', '{"a":1,"a":2}')).toEqual([
      true,
      false,
      false,
      false,
    ])
  })

  test('minProperties of one, and the properties of an object that declares none, are counted', () => {
    const some = { type: 'object', properties: { a: { type: 'null' } }, minProperties: 1 }
    expect(verdicts(some, '{}', '{"a":null}', '{"b":1}')).toEqual([false, true, true])
    const few = { type: 'object', additionalProperties: { type: 'null' }, maxProperties: 2 }
    expect(verdicts(few, '{}', '{"a":null,"b":null}', '{"a":null,"b":null,"c":null}')).toEqual([true, true, false])
    expect(verdicts({ type: 'object', maxProperties: 0 }, '{}', '{"a":1}')).toEqual([true, false])
  })

  test('a number that is a multiple of a whole one is whole', () => {
    const schema = { type: 'number', multipleOf: 5, minimum: -7.5 }
    expect(verdicts(schema, '-5', '0', '15', '-10', '2.5', '7')).toEqual([true, true, true, false, false, false])
    expect(verdicts({ type: 'number', multipleOf: 1 }, '3', '3.5')).toEqual([true, false])
  })

  test('oneOf is held where something tells its parts apart, or one of them can be negated', () => {
    const part = (kind: string): object => ({
      type: 'object',
      properties: { kind: { const: kind } },
      required: ['kind'],
    })
    expect(verdicts({ oneOf: [part('a'), part('b')] }, '{"kind":"a"}', '{"kind":"c"}')).toEqual([true, false])
    expect(verdicts({ oneOf: [{ type: 'integer' }, { type: 'string' }] }, '1', '"x"', 'null')).toEqual([
      true,
      true,
      false,
    ])
    const [either, both] = [{ required: ['a'] }, { required: ['b'] }]
    expect(verdicts({ oneOf: [either, both] }, '{"a":1}', '{"b":1}', '{"a":1,"b":1}', '{}', 'null')).toEqual([
      ...[true, true],
      ...[false, false, false],
    ])
    const bounded = { type: 'string', oneOf: [{ minLength: 2 }, { maxLength: 3 }] }
    expect(verdicts(bounded, '"a"', '"ab"', '"abcd"')).toEqual([true, false, true])
    const numbers = { oneOf: [{ type: 'integer' }, { type: 'number' }] }
    expect(verdicts(numbers, '1', '1.5', '-0.001', '10.0', '1e-7', '1e21')).toEqual([
      false,
      true,
      true,
      false,
      true,
      false,
    ])
    const multiples = {
      oneOf: [
        { type: 'integer', multipleOf: 2 },
        { type: 'integer', multipleOf: 3 },
      ],
    }
    expect(() => jsonSchemaToGbnf(multiples)).toThrow('oneOf')
    const patterns = { type: 'string', oneOf: [{ pattern: 'a' }, { pattern: 'b' }] }
    expect(verdicts(patterns, '"a"', '"xb"', '"ab"', '"c"')).toEqual([true, true, false, false])
    const listed = { oneOf: [{ enum: [1, 2] }, { enum: [2, 3] }] }
    expect(verdicts(listed, '1', '2', '3', '4')).toEqual([true, false, true, false])
  })

  test('a property that a pattern allows does not tell the parts of a oneOf apart', () => {
    const object = (rest: object): object => ({ type: 'object', additionalProperties: false, ...rest })
    const named = object({ properties: { a: { type: 'string' } }, required: ['a'] })
    const matching = { oneOf: [object({ patternProperties: { '^a': { type: 'string' } } }), named] }
    expect(() => jsonSchemaToGbnf(matching)).toThrow('oneOf')
    const only = (value: string): object => ({ const: value })
    const kind = object({ properties: { k: only('x') }, required: ['k'] })
    const others = object({ patternProperties: { '^k': only('x') }, required: ['k'], additionalProperties: only('y') })
    expect(() => jsonSchemaToGbnf({ oneOf: [kind, others] })).toThrow('oneOf')
    expect(verdicts({ oneOf: [object({ patternProperties: { '^b': {} } }), named] }, '{"a":"x"}', '{"b":1}')).toEqual([
      true,
      true,
    ])
  })

  test('oneOf of objects without other properties is held: a valid value has a property that the other part does not know', () => {
    const part = (...names: string[]): object => ({
      properties: Object.fromEntries(names.map((name) => [name, true])),
      additionalProperties: false,
      type: 'object',
    })
    const schema = { oneOf: [part('a', 'b'), part('b', 'c')] }
    expect(verdicts(schema, '{}', '{"b":1}', '{"a":1}', '{"b":1,"c":1}', '{"a":1,"c":1}', '{"d":1}')).toEqual([
      ...[false, false, true, true],
      ...[false, false],
    ])
  })

  test('a not of additionalProperties is held: another property has to be there, which is none of them', () => {
    const schema = { not: { properties: { a: true }, additionalProperties: { type: 'null' } }, type: 'object' }
    const right = ['{"b":1}', '{"a":1,"b":1}', '{"b":null,"c":1,"d":null}', '{"a":1,"b":null,"c":"x"}']
    expect(verdicts(schema, ...right)).toEqual([true, true, true, true])
    expect(verdicts(schema, '{}', '{"a":1}', '{"b":null}', '{"a":1,"c":null}')).toEqual([false, false, false, false])
  })

  test('arrays and objects that are listed are held to what else is said of them', () => {
    const schema = {
      enum: [[1], [1, 2], { a: 1 }, { a: 'x', b: 2 }, 'y'],
      minItems: 2,
      properties: { a: { type: 'string' } },
    }
    expect(verdicts(schema, '[1,2]', '{"a":"x","b":2}', '"y"', '[1]', '{"a":1}')).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
  })

  test('what nothing is valid against is left out where it is optional', () => {
    const schema = { type: 'object', properties: { a: false, b: { type: 'null' } }, additionalProperties: false }
    expect(verdicts(schema, '{}', '{"b":null}', '{"a":1}')).toEqual([true, true, false])
    expect(verdicts({ type: 'array', items: { enum: [] } }, '[]', '[1]')).toEqual([true, false])
  })

  test('lists of allowed values are filtered by the other keywords', () => {
    expect(verdicts({ type: 'string', enum: ['a', 'bcd', 1], maxLength: 2 }, '"a"', '"bcd"', '1')).toEqual([
      true,
      false,
      false,
    ])
    expect(verdicts({ enum: [1, 5, 9.5], exclusiveMinimum: 1, maximum: 9.5 }, '1', '5', '9.5')).toEqual([
      false,
      true,
      true,
    ])
    expect(() => jsonSchemaToGbnf({ type: 'string', const: 'b', enum: ['a'] })).toThrow('No value is valid')
  })

  test('records with an enum for their keys have exactly these', () => {
    const schema = {
      type: 'object',
      propertyNames: { enum: ['x', 'y'] },
      additionalProperties: { type: 'integer' },
      required: ['x'],
    }
    expect(verdicts(schema, '{"x":1}', '{"x":1,"y":2}', '{"y":2}', '{"x":1,"z":2}')).toEqual([true, true, false, false])
  })

  test('long repetitions stay below what llama.cpp takes', () => {
    const gbnf = jsonSchemaToGbnf({
      type: 'array',
      items: { type: 'string', minLength: 1500, maxLength: 54_321 },
      minItems: 3000,
    })
    const counts = [...gbnf.matchAll(/\{(\d+)(?:,(\d+)?)?\}/g)].flatMap(([, one, other]) => [
      Number(one),
      Number(other ?? 0),
    ])
    expect(Math.max(...counts)).toBeLessThanOrEqual(1000)
    const text = matcherOf({ type: 'string', minLength: 1500, maxLength: 4321 })
    const lengths = [1499, 1500, 1501, 2499, 2500, 4320, 4321, 4322]
    expect(lengths.map((length) => allows(text, `"${'x'.repeat(length)}"`))).toEqual([
      ...[false, true, true, true, true, true, true, false],
    ])
  })
})

describe('numbers', () => {
  const anyBounds = fc.tuple(fc.integer({ min: -2200, max: 2200 }), fc.integer({ min: 0, max: 2500 }))

  test('the whole numbers between bounds are exactly those', () => {
    fc.assert(
      fc.property(anyBounds, fc.constantFrom(1, 4, 7, 25, 125), ([minimum, length], multipleOf) => {
        const maximum = minimum + length
        // With a text that is always there: there may be no such number.
        const start = matcherOf({ type: ['integer', 'null'], minimum, maximum, multipleOf })
        for (let n = minimum - 120; n <= maximum + 120; n += 1 + Math.floor(length / 50)) {
          const isInside = n >= minimum && n <= maximum && n % multipleOf === 0
          expect([n, allows(start, String(n))]).toEqual([n, isInside])
        }
      }),
      { numRuns: runs(300) },
    )
  })

  test('the decimals between bounds are exactly those', () => {
    const scale = fc.constantFrom(1, 10, 1000)
    fc.assert(
      fc.property(
        anyBounds,
        scale,
        scale,
        fc.boolean(),
        fc.boolean(),
        fc.array(fc.integer({ min: -30, max: 30 })),
        ([from, length], unit, finer, isLowExclusive, isHighExclusive, steps) => {
          const [low, high] = [from / unit, (from + length) / unit]
          const bounds = {
            [isLowExclusive ? 'exclusiveMinimum' : 'minimum']: low,
            [isHighExclusive ? 'exclusiveMaximum' : 'maximum']: high,
          }
          if (low === high && (isLowExclusive || isHighExclusive)) return
          const start = matcherOf({ type: 'number', ...bounds })
          for (const step of [0, 1, -1, ...steps]) {
            for (const bound of [low, high]) {
              const n = Number((bound + step / (unit * finer)).toFixed(6))
              const isInside =
                n >= low && n <= high && !(isLowExclusive && n === low) && !(isHighExclusive && n === high)
              expect([n, bounds, allows(start, String(n))]).toEqual([n, bounds, isInside])
            }
          }
        },
      ),
      { numRuns: runs(300) },
    )
  })
})
