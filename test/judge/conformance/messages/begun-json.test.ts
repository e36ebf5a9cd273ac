import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { begunJson } from '../../../../src/judge/conformance/messages/clients/anthropic-python/begun-json.js'
import { RUNS } from '../../../support/runs.js'

// Expected values are those of jiter 0.19's from_json(text, partial_mode=True).
describe('an input that is cut off, as the Anthropic SDK for Python takes it:', () => {
  test.each([
    ['{"a":"b', {}],
    ['{"a":1', { a: 1 }],
    ['{"a":1.', {}],
    ['{"a":[1,-', { a: [1] }],
    ['{"a":tr', {}],
    ['{"a":"\\u00', {}],
    ['{"a":"\\ud83d\\u', {}],
    ['{"a":1 "b":2}', { a: 1 }],
    ['{"a":1}{"b":2}', { a: 1 }],
    ['12 Oslo', 12],
    [`-${'1'.repeat(4300)}`, Number.NEGATIVE_INFINITY],
    ['[NaN,-Infinity]', [Number.NaN, Number.NEGATIVE_INFINITY]],
  ])('%s', (text, value) => {
    expect(begunJson(text)).toEqual(value)
  })

  test.each(['', '{]', 'Oslo', '01', '"\t"', '{"a":"\\x"}', '{"a":"\\ud83d"}', '{a', '1'.repeat(4301)])(
    '%j is no JSON',
    (text) => {
      expect(() => begunJson(text)).toThrow(SyntaxError)
    },
  )

  test('whole JSON is itself', () => {
    fc.assert(
      fc.property(fc.object(), (value) => {
        const text = JSON.stringify(value)
        expect(begunJson(text)).toEqual(JSON.parse(text))
      }),
      { numRuns: RUNS },
    )
  })
})
