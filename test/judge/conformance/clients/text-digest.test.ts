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

test('a text looks like another one that differs in the blanks around it, however both came', () => {
  const blank = fc.string({ unit: fc.constantFrom(' ', '\n', '\t'), maxLength: 4 })
  fc.assert(
    fc.property(text, text, blank, blank, fc.nat(), (own, other, before, behind, at) => {
      const around = `${before}${own}${behind}`
      const place = at % (around.length + 1)
      const pieces = TextHash.of(around.slice(0, place)).append(around.slice(place))
      const joined = TextHash.of(around.slice(0, place)).join(TextHash.of(around.slice(place)))
      for (const one of [pieces, joined]) expect(one.looksLike(TextHash.of(own))).toBe(true)
      // What is a blank to the eye alone, such as U+00A0, stays part of a text.
      const inked = (words: string): string => words.replace(/^[\0- ]+|[\0- ]+$/g, '')
      expect(pieces.looksLike(TextHash.of(other))).toBe(inked(own) === inked(other))
    }),
  )
})
