import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileSchema, type MatcherState, matcherOf } from '../../../src/engines/grammar/index.js'
import { atOnce } from '../../../src/shared/slices.js'
import { validatorOf } from '../../support/json-schema-judge.js'
import { runs } from '../../support/runs.js'
import { allows, anyWalk, walk } from './walk.js'

/** Undefined for a schema of which something is relaxed. */
function matcherOfWhole(schema: unknown): MatcherState | undefined {
  const { grammar, relaxed } = atOnce(compileSchema(schema))
  return relaxed.length === 0 ? atOnce(matcherOf(grammar)) : undefined
}

const name = fc.constantFrom('a', 'b', 'c')
const leaf = fc.oneof(
  fc.constantFrom<object>({ type: 'string' }, { type: 'number' }, { type: 'null' }, { type: ['array', 'boolean'] }),
  fc.constantFrom<object>({ minLength: 2 }, { maxLength: 1 }, { minimum: 3 }, { exclusiveMaximum: 5 }, { minItems: 1 }),
  fc.constantFrom<object>({ enum: ['x', 'yy', null] }, { const: true }, { required: ['a'] }, { required: ['b', 'c'] }),
  fc.constantFrom<object>({ type: 'integer' }, { enum: [3, 'x'] }, { const: [1] }, { enum: [{ a: 'x' }, {}, -1] }),
  fc.record(
    {
      properties: fc.dictionary(name, fc.constantFrom({ type: 'string' }, { const: 'x' }, false), { maxKeys: 2 }),
      additionalProperties: fc.constantFrom(false, { type: 'string' }),
      required: fc.uniqueArray(name, { maxLength: 1 }),
    },
    { requiredKeys: ['properties'] },
  ),
)
const { schema } = fc.letrec<{ schema: object }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 2 },
    leaf,
    fc.record({ not: tie('schema') }),
    fc.tuple(tie('schema'), tie('schema')).map((oneOf) => ({ oneOf })),
    fc.tuple(leaf, tie('schema')).map(([own, not]) => ({ ...own, not })),
    fc.tuple(leaf, leaf, leaf).map(([condition, so, otherwise]) =>
      Object.fromEntries([
        ['if', condition],
        ['then', so],
        ['else', otherwise],
      ]),
    ),
    fc.record({ dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), { maxKeys: 2 }) }),
    fc.record({ dependentSchemas: fc.dictionary(name, leaf, { maxKeys: 2 }) }),
  ),
}))

const value = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, '', 'x', 'yy', 'zzz', 0, 3, 4.5, 5, -1, [], [1], ['x'], [1, 2], {}),
  fc.dictionary(name, fc.constantFrom<unknown>('x', 'yy', 1, null), { maxKeys: 3, noNullPrototype: true }),
)

describe('what a schema does not allow', () => {
  test('not, oneOf, if and dependencies allow exactly the valid values, unless they are reported as relaxed', () => {
    fc.assert(
      fc.property(schema, fc.array(value, { minLength: 8, maxLength: 16 }), (schema, values) => {
        const start = matcherOfWhole(schema)
        const isValid = validatorOf(schema)
        for (const value of start === undefined ? [] : values) {
          const isAllowed = ordersOf(value).some((text) => allows(start as MatcherState, text))
          expect({ schema, value, isAllowed }).toEqual({ schema, value, isAllowed: isValid(value) })
        }
      }),
      { numRuns: runs(300) },
    )
  })

  test('all texts that a grammar with negations allows are valid', () => {
    fc.assert(
      fc.property(schema, fc.array(anyWalk(), { minLength: 1, maxLength: 4 }), (schema, walks) => {
        const start = matcherOfWhole(schema)
        const isValid = validatorOf(schema)
        for (const choices of start === undefined ? [] : walks) {
          const value: unknown = JSON.parse(walk(start as MatcherState, choices))
          expect({ schema, value, isValid: isValid(value) }).toEqual({ schema, value, isValid: true })
        }
      }),
      { numRuns: runs(100) },
    )
  })

  test('most generated schemas are held', () => {
    const held = fc.sample(schema, { numRuns: 200, seed: 1 }).filter((each) => matcherOfWhole(each) !== undefined)
    expect(held.length).toBeGreaterThan(120)
  })
})

/** A value's texts, with its properties in every order: the schema's is the one that counts. */
function ordersOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [JSON.stringify(value)]
  const entries = Object.entries(value)
  return permutations(entries).map((order) => JSON.stringify(Object.fromEntries(order)))
}

function permutations<Value>(values: readonly Value[]): Value[][] {
  if (values.length === 0) return [[]]
  return values.flatMap((first, index) => permutations(values.toSpliced(index, 1)).map((rest) => [first, ...rest]))
}
