import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CaptureDecoder } from '../../../../src/judge/conformance/read/text-decoder.js'
import { runs } from '../../../support/runs.js'

/** Bytes of UTF-8 that mostly hold, after two that no format begins with. */
const utf8 = (): fc.Arbitrary<Uint8Array> =>
  fc
    .array(
      fc.oneof(
        { weight: 6, arbitrary: fc.string({ unit: 'grapheme', maxLength: 4 }).map((text) => [...Buffer.from(text)]) },
        fc.constantFrom([0xf0, 0x9f, 0x98], [0xe2, 0x82], [0xc3], [0x80], [0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80]),
      ),
      { maxLength: 6 },
    )
    .map((parts) => Uint8Array.from([0x64, 0x3a, ...parts.flat()]))

/** What a decoder makes of bytes that come in pieces of these sizes. */
function decoded(bytes: Uint8Array, sizes: readonly number[]): { text: string; invalidAt: number | undefined } {
  const decoder = new CaptureDecoder()
  let text = ''
  let invalidAt: number | undefined
  const take = (piece: ReturnType<CaptureDecoder['decode']>): void => {
    if (piece.invalidAt !== undefined) {
      expect(invalidAt).toBe(undefined)
      invalidAt = text.length + piece.invalidAt
    }
    text += piece.text
  }
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    // A piece is overwritten once it was read, as by a source that uses its buffer again.
    const piece = bytes.slice(at, at + size)
    take(decoder.decode(piece))
    piece.fill(0x21)
    at += size
  }
  take(decoder.end())
  return { text, invalidAt }
}

const isValid = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

test('bytes are decoded as the platform does it, however they are split, and invalid ones are told once', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(utf8(), sizes, (bytes, sizes) => {
      const { text, invalidAt } = decoded(bytes, sizes)
      expect(text).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))
      expect(invalidAt === undefined).toBe(isValid(bytes))
      if (invalidAt !== undefined) expect(text[invalidAt]).toBe('\ufffd')
    }),
    { numRuns: runs(2000) },
  )
})

test.each([[[0xe2]], [[0xff]], [[0x64]], [[]]])(
  'bytes too few to show a format are decoded at the end: %j',
  (bytes) => {
    const { text, invalidAt } = decoded(Uint8Array.from(bytes), [1])
    expect(text).toBe(new TextDecoder().decode(Uint8Array.from(bytes)))
    expect(invalidAt === undefined).toBe(isValid(Uint8Array.from(bytes)))
  },
)
