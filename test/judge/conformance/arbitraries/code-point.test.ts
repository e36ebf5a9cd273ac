import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codePoint } from '../../../../src/judge/conformance/arbitraries/code-point.js'
import { runs } from '../../../support/runs.js'

describe('a code point', () => {
  test('a code point is one character, and no half of a surrogate pair', () => {
    fc.assert(
      fc.property(codePoint, (text) => {
        expect(Array.from(text)).toEqual([text])
        expect(text).not.toMatch(/\p{Cs}/u)
      }),
      { numRuns: runs(2000) },
    )
  })

  test.each(['\0', 'a', '\ud7ff', '\ue000', '\uffff', '𝕳', '\u{10ffff}'])(
    'the code point %j shrinks to simpler ones',
    (text) => {
      expect(codePoint.canShrinkWithoutContext(text)).toBe(true)
      const code = text.codePointAt(0) as number
      for (const { value } of codePoint.shrink(text, undefined)) expect(value.codePointAt(0)).toBeLessThan(code)
    },
  )

  test.each(['', 'ab', '\ud800', '\udfff', 1, undefined])('%j is no code point', (value) => {
    expect(codePoint.canShrinkWithoutContext(value)).toBe(false)
  })

  test('texts of code points include the names that every object has', () => {
    const names = fc.sample(fc.string({ unit: codePoint }), { numRuns: 3000, seed: 1 })
    expect(names).toContain('__proto__')
  })
})
