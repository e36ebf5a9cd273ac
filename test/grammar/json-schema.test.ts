import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  compileSchema,
  createMatcher,
  jsonSchemaToGbnf,
  type MatcherState,
  matcherOf,
} from '../../src/grammar/index.js'
import { atOnce } from '../../src/slices.js'
import { validatorOf } from '../support/json-schema-judge.js'
import { runs } from '../support/runs.js'
import { anyCase } from './schemas.js'
import { allows, anyWalk, walk } from './walk.js'

const RUNS = runs(150)

const matcherOf = (schema: unknown): MatcherState => createMatcher(jsonSchemaToGbnf(schema))
const allowsValue = (schema: unknown, value: unknown): boolean => allows(matcherOf(schema), JSON.stringify(value))

describe('the grammar of a schema', () => {
  test('the grammar of a schema allows what is valid, as JSON.stringify writes it in the declared order', () => {
    fc.assert(
      fc.property(anyCase(), ({ schema, value }) => {
        // The case itself has to be right, for the judge.
        expect(validatorOf(schema)(value)).toBe(true)
        const text = JSON.stringify(value)
        expect({ schema, text, isAllowed: allows(matcherOf(schema), text) }).toEqual({ schema, text, isAllowed: true })
      }),
      { numRuns: RUNS },
    )
  })

  test('whatever the grammar of a schema allows is JSON, and valid', () => {
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

test('a length of millions is counted', () => {
  const { grammar, relaxed } = atOnce(
    compileSchema({ type: 'array', items: { type: 'null' }, maxItems: 2_147_483_647 }),
  )
  expect(relaxed).toEqual([])
  expect(matcherOf(grammar).accept('[null,null]')?.isComplete).toBe(true)
  const counted = matcherOf(atOnce(compileSchema({ type: 'string', maxLength: 1_002_003 })).grammar)
  const full = counted.accept(`"${'a'.repeat(1_002_003)}`)
  expect([full?.accept('"')?.isComplete, full?.accept('a')]).toEqual([true, undefined])
})
