import { gcmsiv } from '@noble/ciphers/aes.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decrypt, digest, encrypt } from '../../../src/endpoint/seal/aead.js'
import { RUNS } from '../../support/runs.js'
import { anyText, keyOf } from './seals.js'

const hex = (digits: string): Uint8Array => Uint8Array.from(Buffer.from(digits.replaceAll(' ', ''), 'hex'))

/** RFC 8452, appendices C.2 and C.3: key, nonce, associated data, plaintext, result. */
const VECTORS: readonly (readonly [key: string, nonce: string, data: string, text: string, result: string])[] = [
  [`01${'00'.repeat(31)}`, `03${'00'.repeat(11)}`, '', '', '07f5f4169bbf55a8400cd47ea6fd400f'],
  [
    `01${'00'.repeat(31)}`,
    `03${'00'.repeat(11)}`,
    '',
    '0100000000000000',
    'c2ef328e5c71c83b843122130f7364b7 61e0b97427e3df28',
  ],
  [
    `01${'00'.repeat(31)}`,
    `03${'00'.repeat(11)}`,
    '',
    `01${'00'.repeat(15)}02${'00'.repeat(15)}03${'00'.repeat(15)}`,
    `c00d121893a9fa603f48ccc1ca3c57ce 7499245ea0046db16c53c7c66fe717e3
     9cf6c748837b61f6ee3adcee17534ed5 790bc96880a99ba804bd12c0e6a22cc4`,
  ],
  [
    `01${'00'.repeat(31)}`,
    `03${'00'.repeat(11)}`,
    '01',
    '0200000000000000',
    '1de22967237a813291213f267e3b452f 02d01ae33e4ec854',
  ],
  [
    `01${'00'.repeat(31)}`,
    `03${'00'.repeat(11)}`,
    `01${'00'.repeat(15)}0200`,
    `03${'00'.repeat(15)}04000000`,
    '43dd0163cdb48f9fe3212bf61b201976 067f342bb879ad976d8242acc188ab59 cabfe307',
  ],
  [
    'd1894728b3fed1473c528b8426a582995929a1499e9ad8780c8d63d0ab4149c0',
    '9f572c614b4745914474e7c7',
    '489c8fde2be2cf97e74e932d4ed87d',
    'c9882e5386fd9f92ec',
    '0df9e308678244c44bc0fd3dc6628dfe 55ebb0b9fb2295c8c2',
  ],
  [
    '3c535de192eaed3822a2fbbe2ca9dfc88255e14a661b8aa82cc54236093bbc23',
    '688089e55540db1872504e1c',
    '734320ccc9d9bbbb19cb81b2af4ecbc3e72834321f7aa0f70b7282b4f33df23f167541',
    'ced532ce4159b035277d4dfbb7db62968b13cd4eec',
    '626660c26ea6612fb17ad91e8e767639 edd6c9faee9d6c7029675b89eaf4ba1d ed1a286594',
  ],
  // The counter of these two wraps around.
  [
    '00'.repeat(32),
    '00'.repeat(12),
    '',
    '00000000000000000000000000000000 4db923dc793ee6497c76dcc03a98e108',
    'f3f80f2cf0cb2dd9c5984fcda908456c c537703b5ba70324a6793a7bf218d3ea ffffffff000000000000000000000000',
  ],
  [
    '00'.repeat(32),
    '00'.repeat(12),
    '',
    'eb3640277c7ffd1303c7a542d02d3e4c 0000000000000000',
    '18ce4f0b8cb4d0cac65fea8f79257b20 888e53e72299e56dffffffff00000000 0000000000000000',
  ],
]

describe('the cipher of the package', () => {
  test.each(VECTORS)('the cipher of the package gives the result of RFC 8452: %#', (key, nonce, data, text, result) => {
    expect(gcmsiv(hex(key), hex(nonce), hex(data)).encrypt(hex(text))).toEqual(hex(result.replaceAll('\n', '')))
    expect(gcmsiv(hex(key), hex(nonce), hex(data)).decrypt(hex(result.replaceAll('\n', '')))).toEqual(hex(text))
  })
})

const nonce = new Uint8Array(12).fill(9)

test('an encrypted text is decrypted, with any text and any associated data', () => {
  const wellFormed = fc.string({ unit: 'grapheme' })
  fc.assert(
    fc.property(wellFormed, fc.array(anyText()), (text, about) => {
      expect(decrypt(keyOf(1), nonce, about, encrypt(keyOf(1), nonce, about, text))).toBe(text)
    }),
    { numRuns: RUNS },
  )
})

test('a text with other associated data, another key or another nonce is not decrypted', () => {
  const bytes = encrypt(keyOf(1), nonce, ['a', 'b'], 'text')
  expect(decrypt(keyOf(1), nonce, ['a', 'b'], bytes)).toBe('text')
  for (const about of [['a'], ['ab'], ['a', 'b', ''], ['b', 'a'], ['a","b'], []]) {
    expect(decrypt(keyOf(1), nonce, about, bytes)).toBeUndefined()
  }
  expect(decrypt(keyOf(2), nonce, ['a', 'b'], bytes)).toBeUndefined()
  expect(decrypt(keyOf(1), new Uint8Array(12), ['a', 'b'], bytes)).toBeUndefined()
})

test('bytes that are no text are not decrypted, though their tag is right', () => {
  const about = new TextEncoder().encode(JSON.stringify(['a']))
  const bytes = gcmsiv(keyOf(1), nonce, about).encrypt(Uint8Array.of(0xff, 0xfe))
  expect(decrypt(keyOf(1), nonce, ['a'], bytes)).toBeUndefined()
})

test('a digest depends on the key and on everything that it is about', () => {
  const digests = [
    digest(keyOf(1), ['a', 'b']),
    digest(keyOf(2), ['a', 'b']),
    digest(keyOf(1), ['ab']),
    digest(keyOf(1), ['a', 'b', '']),
    digest(keyOf(1), ['a","b']),
  ]
  expect(new Set(digests.map(String)).size).toBe(digests.length)
  expect(digest(keyOf(1), ['a', 'b'])).toEqual(digests[0])
  expect(digests[0]).toHaveLength(16)
})
