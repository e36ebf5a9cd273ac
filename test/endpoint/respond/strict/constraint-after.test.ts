import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { constraintAfter } from '../../../../src/endpoint/respond/strict/constraint-after.js'
import type { Constraint } from '../../../../src/engines/contract/index.js'
import { createMatcher } from '../../../../src/engines/grammar/index.js'
import { atOnce } from '../../../../src/shared/slices.js'
import { runs } from '../../../support/runs.js'

const SCHEMA = {
  type: 'object',
  properties: {
    'a "b': { type: 'string' },
    n: { type: 'integer' },
    xs: { type: 'array', items: { type: 'boolean' } },
    o: { type: 'object', properties: { k: { type: 'null' } }, required: ['k'], additionalProperties: false },
  },
  required: ['a "b', 'n', 'xs', 'o'],
  additionalProperties: false,
} as const

const values = fc.record({
  'a "b': fc.string({ unit: 'grapheme', maxLength: 6 }),
  n: fc.integer({ min: -999, max: 999 }),
  xs: fc.array(fc.boolean(), { maxLength: 3 }),
  o: fc.constant({ k: null }),
})
/** The tokens of a JSON text, each with the blanks behind it. */
const spaced = fc
  .tuple(values, fc.array(fc.stringMatching(/^[ \t\n\r]{0,3}$/), { minLength: 60, maxLength: 60 }))
  .map(([value, blanks]) =>
    Array.from(JSON.stringify(value).matchAll(/"(?:[^"\\]|\\.)*"|-?\d+|[a-z]+|./gsu), ([token], nth) => ({
      token,
      blanks: blanks[nth] ?? '',
    })),
  )

function restOf(constraint: Constraint, before: string): string | undefined {
  const rest = atOnce(constraintAfter(constraint, before, ['gbnf']))
  return rest !== undefined && 'grammar' in rest.constraint ? rest.constraint.grammar : undefined
}

describe('the constraint of the rest of a body', () => {
  test('a body with blanks in any places has a rest from everywhere', () => {
    fc.assert(
      fc.property(spaced, fc.nat(), fc.nat(), (tokens, nth, place) => {
        const cut = nth % tokens.length
        const { token, blanks } = tokens[cut] ?? expect.unreachable()
        const whole = token + blanks
        const at = place % (whole.length + 1)
        const before = `${tokens
          .slice(0, cut)
          .map((one) => one.token + one.blanks)
          .join('')}${whole.slice(0, at)}`
        const left =
          token.slice(at) +
          tokens
            .slice(cut + 1)
            .map((one) => one.token)
            .join('')
        // The other half of a character may follow.
        fc.pre(before !== '' && left !== '' && !/[\ud800-\udbff]$/.test(before))
        const grammar = restOf({ jsonSchema: SCHEMA }, before) ?? expect.fail(`no rest after ${before}`)
        expect(createMatcher(grammar).accept(left)?.isComplete, `${before}|${left}`).toBe(true)
      }),
      { numRuns: runs(60) },
    )
  })

  test('a number that a blank has ended goes on with no digit', () => {
    const grammar = restOf({ jsonSchema: SCHEMA.properties.xs }, '[ true ,\n')
    expect(createMatcher(grammar ?? '').accept('false]')?.isComplete).toBe(true)
    const list = { type: 'array', items: { type: 'integer' } }
    const ended = restOf({ jsonSchema: list }, '[12 ')
    for (const more of ['3', '.5', 'e2', 'E2']) expect(createMatcher(ended ?? '').accept(more)).toBeUndefined()
    for (const more of [']', ',3]']) expect(createMatcher(ended ?? '').accept(more)?.isComplete).toBe(true)
  })

  test('blanks of a regular expression stay', () => {
    expect(restOf({ regex: 'a  b' }, 'a ')).toBeDefined()
    expect(restOf({ regex: 'ab' }, 'a ')).toBeUndefined()
  })
})
