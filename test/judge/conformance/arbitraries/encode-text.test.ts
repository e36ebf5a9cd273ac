import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadTokenTable } from '../../../../src/core/tokens/load-token-table.js'
import { createTokenTable } from '../../../../src/core/tokens/token-table.js'
import { codePoint } from '../../../../src/judge/conformance/arbitraries/code-point.js'
import {
  encodeText,
  harmonyText,
  harmonyTextSpellingMarkers,
} from '../../../../src/judge/conformance/arbitraries/index.js'
import { RUNS } from '../../../support/runs.js'
import { decodeTokens } from '../../../support/tokens.js'

const tokenTable = await loadTokenTable()

test('ids decode to exactly their text', () => {
  const anyText = fc.oneof(
    harmonyText(),
    harmonyTextSpellingMarkers(),
    fc.string({ unit: codePoint, maxLength: 40, size: 'max' }),
    fc.string({ unit: 'grapheme', maxLength: 20, size: 'max' }),
  )
  fc.assert(
    fc.property(anyText, (text) => {
      const ids = encodeText(text, tokenTable)
      expect(decodeTokens(ids)).toBe(text)
      for (const id of ids) expect(tokenTable.bytes(id).length).toBeGreaterThan(0)
    }),
    { numRuns: RUNS },
  )
})

test.each([
  '',
  '\ufeff',
  '\ufeffa\ufeff',
  '👨‍👩‍👧‍👦',
  '\u{10ffff}',
  'e\u0301',
  '<|end|>',
  'a'.repeat(5000),
  '\u0000',
  '💖'.repeat(999),
])('the ids of a text decode to exactly that text: %j', (text) => {
  expect(decodeTokens(encodeText(text, tokenTable))).toBe(text)
})

test('encodeText takes the longest token at each place, across words if there is one', () => {
  expect(encodeText('Hello world', tokenTable)).toEqual([13225, 2375])
  const ids = encodeText(' internationalization', tokenTable)
  expect(tokenTable.text(ids[0] ?? 0)).toBe(' international')
})

test('a lone surrogate becomes U+FFFD', () => {
  expect(decodeTokens(encodeText('a\ud800b', tokenTable))).toBe('a\ufffdb')
})

test('encodeText takes any table, and says which byte one lacks', () => {
  const ab = createTokenTable(Uint8Array.of(1, 1, 2, 97, 98, 97, 98))
  expect(encodeText('aabb', ab)).toEqual([0, 2, 1])
  expect(() => encodeText('abc', ab)).toThrow('expected a token for every byte, got none for byte 99')
})
