import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createCharacterKinds, Pieces } from '../../../src/core/tokens/pieces.js'
import { codePoint } from '../../../src/judge/conformance/arbitraries/code-point.js'
import { createWork } from '../../../src/shared/slices.js'
import { runs } from '../../support/runs.js'

/** The expression that o200k splits text by, for texts that do not overflow its stack. */
const S = String.raw`\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`
const UPPER = String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
const LOWER = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
const BEFORE = String.raw`[^\r\n\p{L}\p{N}]?`
const CONTRACTION = "(?:'(?:[sS\u017f]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD]))?"
const EXPRESSION = new RegExp(
  [
    `${BEFORE}${UPPER}*${LOWER}+${CONTRACTION}`,
    `${BEFORE}${UPPER}+${LOWER}*${CONTRACTION}`,
    String.raw`\p{N}{1,3}`,
    String.raw` ?[^${S}\p{L}\p{N}]+[\r\n/]*`,
    String.raw`[${S}]*[\r\n]+`,
    `[${S}]+(?![^${S}])`,
    `[${S}]+`,
  ].join('|'),
  'gu',
)

const kinds = createCharacterKinds()

function split(text: string, slice: number): string[] {
  const work = createWork(slice)
  const pieces = new Pieces(text, kinds, work)
  const found: string[] = []
  while (pieces.at < text.length) {
    const start = pieces.at
    const end = pieces.next()
    if (end >= 0) found.push(text.slice(start, end))
    if (work.left <= 0) for (const _ of work.pause());
  }
  return found
}

describe('the pieces of a text', () => {
  const edge = fc.constantFrom(
    ...['a', 'b', 'A', 'B', 'ǅ', 'ʰ', '中', '\u0301', '\u0903', '1', '٣', '²', '!', '/', "'", "'s", "'LL", "'ſ", "'r"],
    ...[' ', '  ', '\t', '\n', '\r', '\r\n', '\u0085', '\u00a0', '\u3000', '\u180e', '\ufeff', '👩', '𐐀', '𐐨', '𝟙'],
    ...['\ud800', '\udc00', '_', '\u200d'],
  )
  const anything = fc.array(fc.oneof(edge, edge, codePoint), { maxLength: 16 }).map((parts) => parts.join(''))
  const repeated = fc
    .array(fc.tuple(edge, fc.integer({ min: 1, max: 9 })), { maxLength: 6 })
    .map((parts) => parts.map(([part, times]) => part.repeat(times)).join(''))

  test('the pieces of a text are those of the expression, however often their search pauses', () => {
    fc.assert(
      fc.property(fc.oneof(anything, repeated), fc.integer({ min: 1, max: 12 }), (text, slice) => {
        const expected = text.match(EXPRESSION) ?? []
        expect(split(text, slice)).toEqual([...expected])
        expect(split(text, 1000)).toEqual([...expected])
      }),
      { numRuns: runs(5000) },
    )
  })

  test('the pieces of a text give the text', () => {
    fc.assert(
      fc.property(anything, (text) => {
        expect(split(text, 3).join('')).toBe(text)
      }),
      { numRuns: runs(500) },
    )
  })
})
