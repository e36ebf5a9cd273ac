import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeBase64url, encodeBase64url } from '../../../src/endpoint/seal/base64url.js'
import { RUNS } from '../../support/runs.js'

test('bytes are encoded as Node encodes them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(encodeBase64url(bytes)).toBe(Buffer.from(bytes).toString('base64url'))
    }),
    { numRuns: RUNS },
  )
})

test('encoded bytes are decoded', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(decodeBase64url(encodeBase64url(bytes))).toEqual(bytes)
    }),
    { numRuns: RUNS },
  )
})

test('no two texts are decoded to the same bytes', () => {
  const digit = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
  fc.assert(
    fc.property(fc.string({ unit: digit, maxLength: 9 }), (text) => {
      const bytes = decodeBase64url(text)
      if (bytes !== undefined) expect(encodeBase64url(bytes)).toBe(text)
    }),
    { numRuns: RUNS * 10 },
  )
})

test.each(['A', 'AB', 'ABC', 'AAAAA', 'AA==', 'AA=', 'A+AA', 'A/AA', 'AA A', 'AAA\n', 'AAAé', 'AAA\ud800', 'AAA🫠'])(
  '%j is no base64url',
  (text) => {
    expect(decodeBase64url(text)).toBeUndefined()
  },
)

test.each([
  ['', []],
  ['AA', [0]],
  ['_-8', [0xff, 0xef]],
  ['____', [255, 255, 255]],
] as const)('%j is decoded', (text, bytes) => {
  expect(decodeBase64url(text)).toEqual(Uint8Array.from(bytes))
})
