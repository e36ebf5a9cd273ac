import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Expression } from '../../../src/engines/grammar/expression.js'
import {
  compileSchema,
  createMatcher,
  jsonSchemaToGbnf,
  type MatcherState,
} from '../../../src/engines/grammar/index.js'
import { atOnce } from '../../../src/shared/slices.js'
import { validatorOf } from '../../support/json-schema-judge.js'
import { runs } from '../../support/runs.js'
import { anyCase } from './schemas.js'
import { allows, anyWalk, walk } from './walk.js'

const RUNS = runs(150)

const matcherOf = (schema: unknown): MatcherState => createMatcher(jsonSchemaToGbnf(schema))
const allowsValue = (schema: unknown, value: unknown): boolean => allows(matcherOf(schema), JSON.stringify(value))

describe('the grammar of a schema', () => {
  test('the grammar of a schema allows all valid values, as JSON.stringify writes them in the declared order', () => {
    fc.assert(
      fc.property(anyCase(), ({ schema, value }) => {
        // The case itself must be valid according to the validator.
        expect(validatorOf(schema)(value)).toBe(true)
        const text = JSON.stringify(value)
        expect({ schema, text, isAllowed: allows(matcherOf(schema), text) }).toEqual({ schema, text, isAllowed: true })
      }),
      { numRuns: RUNS },
    )
  })

  test('all texts that the grammar of a schema allows are JSON, and valid', () => {
    fc.assert(
      fc.property(anyCase(), fc.array(anyWalk(), { minLength: 1, maxLength: 8 }), ({ schema }, walks) => {
        const [start, isValid] = [matcherOf(schema), validatorOf(schema)]
        for (const choices of walks) {
          const text = walk(start, choices)
          expect(allows(start, text)).toBe(true)
          const value: unknown = JSON.parse(text)
          expect({ schema, text, isValid: isValid(value) }).toEqual({ schema, text, isValid: true })
        }
      }),
      { numRuns: RUNS },
    )
  })

  test('the grammar of a schema allows no value that is not valid', () => {
    fc.assert(
      fc.property(anyCase(), anyCase(), ({ schema }, { value }) => {
        if (allowsValue(schema, value)) expect(validatorOf(schema)(value)).toBe(true)
      }),
      { numRuns: RUNS },
    )
  })
})

test.each([1_000_000, 1_002_003, 2_147_483_647])(
  'a length of %i is counted in repetitions that llama.cpp takes',
  (max) => {
    const { grammar, relaxed } = atOnce(compileSchema({ type: 'string', maxLength: max }))
    expect(relaxed).toEqual([])
    const repetitions: number[] = []
    const longest = (expression: Expression): number => {
      switch (expression.kind) {
        case 'text':
          return expression.text.length
        case 'class':
          return 1
        case 'rule':
          // One character, however it is spelled.
          return expression.name.startsWith('char') ? 1 : longest(grammar.get(expression.name) as Expression)
        case 'repeat':
          repetitions.push(expression.max)
          return expression.max * longest(expression.of)
        case 'sequence':
          return expression.of.reduce((sum, part) => sum + longest(part), 0)
        case 'choice':
          return Math.max(...expression.of.map(longest))
      }
    }
    expect(longest(grammar.get('root') as Expression)).toBe(max + 2)
    expect(Math.max(...repetitions)).toBeLessThan(2_000)
  },
)
