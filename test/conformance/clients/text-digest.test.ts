import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TextDigest } from '../../../src/conformance/clients/text-digest.js'

const text = fc.string({ unit: 'binary', maxLength: 100 })

test('digests that are joined are the digest of the joined texts', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 5 }), (texts) => {
      const joined = texts.reduce((all, one) => all.join(TextDigest.of(one)), new TextDigest())
      const whole = TextDigest.of(texts.join(''))
      expect(joined.key).toBe(whole.key)
      expect(`${joined}`).toBe(`${whole}`)
    }),
  )
})

test('a text that is appended in pieces is the whole text', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 8 }), (pieces) => {
      const appended = pieces.reduce((all, piece) => all.append(piece), new TextDigest())
      expect(appended.equals(TextDigest.of(pieces.join('')))).toBe(true)
    }),
  )
})

test('other texts have other digests', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(TextDigest.of(a).equals(TextDigest.of(b))).toBe(a === b)
    }),
  )
})

test('a digest can be joined to itself', () => {
  const digest = TextDigest.of('ab')
  expect(digest.join(digest).key).toBe(TextDigest.of('abab').key)
})

test('a long text is shown by its beginning, and never by half a character', () => {
  expect(`${TextDigest.of('a'.repeat(70))}`).toBe(`"${'a'.repeat(60)}..."`)
  expect(`${TextDigest.of(`${'a'.repeat(59)}💖b`)}`).toBe(`"${'a'.repeat(59)}..."`)
})
