import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codePoint } from '../../../../src/judge/conformance/arbitraries/code-point.js'
import { TextHash } from '../../../../src/judge/conformance/clients/text-hash.js'

const text = fc.string({ unit: codePoint, maxLength: 100 })

test('digests that are joined are the digest of the joined texts', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 5 }), (texts) => {
      const joined = texts.reduce((all, one) => all.join(TextHash.of(one)), new TextHash())
      const whole = TextHash.of(texts.join(''))
      expect(joined.key).toBe(whole.key)
      expect(`${joined}`).toBe(`${whole}`)
    }),
  )
})

test('a text that is appended in pieces is the whole text', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 8 }), (pieces) => {
      const appended = pieces.reduce((all, piece) => all.append(piece), new TextHash())
      expect(appended.equals(TextHash.of(pieces.join('')))).toBe(true)
    }),
  )
})

test('other texts have other digests', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(TextHash.of(a).equals(TextHash.of(b))).toBe(a === b)
    }),
  )
})

test('a digest can be joined to itself', () => {
  const digest = TextHash.of('ab')
  expect(digest.join(digest).key).toBe(TextHash.of('abab').key)
})

test('a long text is shown by its beginning, and never by half a character', () => {
  expect(`${TextHash.of('a'.repeat(70))}`).toBe(`"${'a'.repeat(60)}..."`)
  expect(`${TextHash.of(`${'a'.repeat(59)}💖b`)}`).toBe(`"${'a'.repeat(59)}..."`)
})
