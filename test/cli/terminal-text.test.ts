import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clip, createPaint, excerpt, visible, widthOf, wrap } from '../../src/cli/terminal-text.js'
import { codePoint } from '../../src/judge/conformance/arbitraries/code-point.js'
import { harmonyText } from '../support/arbitraries.js'
import { RUNS } from '../support/runs.js'

describe('visible text', () => {
  test.each([
    ['plain', "'plain'"],
    [' {"a": "b"}', `' {"a": "b"}'`],
    ["it's", `"it's"`],
    ['a\nb\tc\r', "'a\\nb\\tc\\r'"],
    ['\u001b[31m', "'\\x1B[31m'"],
    ['\u00a0\u200b\u2028\ufeff', "'\\u00a0\\u200b\\u2028\\ufeff'"],
    ['\u{e0001}', "'\\u{e0001}'"],
    ['日本 é 🌅', "'日本 é 🌅'"],
  ])('visible text: %j is shown as %s', (text, shown) => {
    expect(visible(text)).toBe(shown)
  })

  test('visible text is one line without hidden characters, with any text', () => {
    fc.assert(
      fc.property(fc.oneof(harmonyText(), fc.string({ unit: codePoint })), (text) => {
        expect(visible(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u)
      }),
      { numRuns: RUNS },
    )
  })

  test('visible text is cut with an ellipsis in the quotes, and never within a character', () => {
    expect(excerpt('abcdef', 6)).toBe("'abcdef'")
    expect(excerpt('abcdef', 5)).toBe("'abcde…'")
    expect(excerpt('🌅🌅', 3)).toBe("'🌅…'")
  })
})

describe('columns', () => {
  test.each([
    ['abc', 3],
    ['日本', 4],
    ['🌅', 2],
    ['é', 1],
    ['e\u0301', 1],
    ['\u0301', 0],
  ])('%s takes as many columns as a terminal gives it', (text, width) => {
    expect(widthOf(text)).toBe(width)
  })

  test('text that is too wide is clipped to the columns', () => {
    expect(clip('abcdef', 6)).toBe('abcdef')
    expect(clip('abcdef', 5)).toBe('abcd…')
    expect(clip('日本語', 4)).toBe('日…')
  })

  test('lines break between words and are indented but for the first', () => {
    expect(wrap('one two three four', 9, 2)).toEqual(['one two', '  three', '  four'])
  })

  test('a word that is too long is broken', () => {
    expect(wrap('one abcdefghij', 5, 2)).toEqual(['one', '  abc', '  def', '  ghi', '  j'])
  })

  test('wrapping keeps every character, and every line within its columns', () => {
    const words = fc.array(fc.oneof(fc.string({ minLength: 1 }), harmonyText()), { minLength: 1 })
    const text = words.map((list) => list.map((word) => visible(word)).join(' '))
    fc.assert(
      fc.property(text, fc.integer({ min: 6, max: 60 }), (whole, columns) => {
        const lines = wrap(whole, columns, 2)
        expect(lines.join('').replaceAll(' ', '')).toBe(whole.replaceAll(' ', ''))
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns)
      }),
      { numRuns: RUNS },
    )
  })
})

describe('colours', () => {
  test('colours are written if there are any', () => {
    expect(createPaint(true)('hot', 'red')).toBe('\u001b[31mhot\u001b[39m')
    expect(createPaint(true)('plain', undefined)).toBe('plain')
    expect(createPaint(false)('hot', 'red')).toBe('hot')
  })
})
