import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileSchema, createMatcher, type MatcherState, writeGbnf } from '../../../src/engines/grammar/index.js'
import { atOnce } from '../../../src/shared/slices.js'
import { validatorOf } from '../../support/json-schema-judge.js'
import { runs } from '../../support/runs.js'
import { anyPattern } from './patterns.js'
import { allows, anyWalk, walk } from './walk.js'

const RUNS = runs(400)

/** Short texts of the letters that the patterns have. */
const anyText = (): fc.Arbitrary<string> => fc.string({ unit: fc.constantFrom(...'ab"\\/\né😀Ac ^]-_0'), maxLength: 6 })
const texts = (): fc.Arbitrary<readonly string[]> => fc.array(anyText(), { minLength: 15, maxLength: 15 })
const anyAnchored = (): fc.Arbitrary<string> =>
  fc
    .tuple(anyPattern(), fc.constantFrom('A', '^(?:A)', '(?:A)$', '^(?:A)$'))
    .map(([one, shape]) => shape.replace('A', () => one))

/** Undefined if the schema is not enforced completely. `none`: no value is valid. */
function matcherFor(schema: unknown): MatcherState | 'none' | undefined {
  const { grammar, relaxed } = atOnce(compileSchema(schema))
  if (relaxed.length === 0) return createMatcher(atOnce(writeGbnf(grammar)))
  return relaxed[0]?.message.startsWith('No value') === true ? 'none' : undefined
}

const isAllowed = (start: MatcherState | 'none', value: unknown): boolean =>
  start !== 'none' && allows(start, JSON.stringify(value))

describe('several keywords for a string', () => {
  const anyString = (): fc.Arbitrary<{
    pattern: string
    other: string
    not: string
    minLength: number
    more: number
  }> =>
    fc.record({
      pattern: anyAnchored(),
      other: anyAnchored(),
      not: anyAnchored(),
      minLength: fc.nat(3),
      more: fc.nat(4),
    })

  test('patterns, forbidden patterns and lengths allow exactly the strings that JavaScript’s regular expressions do', () => {
    let held = 0
    fc.assert(
      fc.property(anyString(), texts(), anyWalk(8), ({ pattern, other, not, minLength, more }, texts, choices) => {
        const maxLength = minLength + more
        const schema = {
          type: 'string',
          pattern,
          allOf: [{ pattern: other }],
          not: { pattern: not },
          minLength,
          maxLength,
        }
        const start = matcherFor(schema)
        if (start === undefined) return
        held += 1
        const isRight = (text: string): boolean =>
          new RegExp(pattern, 'u').test(text) &&
          new RegExp(other, 'u').test(text) &&
          !new RegExp(not, 'u').test(text) &&
          [...text].length >= minLength &&
          [...text].length <= maxLength
        for (const text of texts) expect({ text, is: isAllowed(start, text) }).toEqual({ text, is: isRight(text) })
        if (start === 'none') return
        const walked = JSON.parse(walk(start, choices)) as string
        expect({ walked, is: isRight(walked) }).toEqual({ walked, is: true })
      }),
      { numRuns: RUNS },
    )
    expect(held).toBeGreaterThan(0)
  })

  test('listed strings are those that match, and that match nothing forbidden', () => {
    fc.assert(
      fc.property(anyAnchored(), anyAnchored(), texts(), (pattern, not, texts) => {
        const start = matcherFor({ enum: texts, pattern, not: { pattern: not } })
        if (start === undefined) return
        for (const text of texts) {
          const is = new RegExp(pattern, 'u').test(text) && !new RegExp(not, 'u').test(text)
          expect({ text, is: isAllowed(start, text) }).toEqual({ text, is })
        }
      }),
      { numRuns: RUNS },
    )
  })
})

describe('names by pattern', () => {
  test('a property is held to all patterns that its name matches, declared or not, and to the rest where none does', () => {
    let held = 0
    const anyValue = fc.constantFrom<unknown>(true, { type: 'integer' }, { minimum: 3 }, { maximum: 5 }, false)
    const anyObject = fc.record({
      patternProperties: fc.dictionary(anyAnchored(), anyValue, { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
      properties: fc.dictionary(anyText(), anyValue, { maxKeys: 2, noNullPrototype: true }),
      additionalProperties: anyValue,
    })
    fc.assert(
      fc.property(anyObject, texts(), (said, names) => {
        const schema = { type: 'object', ...said }
        const start = matcherFor(schema)
        if (start === undefined) return
        held += 1
        const isValid = validatorOf(schema)
        for (const name of [...names, ...Object.keys(said.properties)]) {
          for (const value of [1, 4, 7, 'x']) {
            const object = { [name]: value }
            expect({ object, is: isAllowed(start, object) }).toEqual({ object, is: isValid(object) })
          }
        }
      }),
      { numRuns: runs(150) },
    )
    expect(held).toBeGreaterThan(0)
  })

  test('a declared name that matches comes once', () => {
    const start = matcherFor({
      type: 'object',
      properties: { b2: { minimum: 3 } },
      patternProperties: { '[0-9]$': { type: 'integer' } },
      additionalProperties: false,
    }) as MatcherState
    const texts = ['{"b2":3}', '{"b2":3,"c1":1}', '{"b2":1}', '{"b2":3,"b2":1}', '{"b2":3,"b\\u0032":1}', '{"b":1}']
    expect(texts.map((text) => allows(start, text))).toEqual([true, true, false, false, false, false])
  })
})
