import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createSeal, type SealKey } from '../../../src/endpoint/seal/index.js'
import { HarmonyResponsesError } from '../../../src/shared/errors.js'
import { keyOf, NONCE, SEALED } from './seals.js'

const SECRET = Uint8Array.from({ length: 32 }, (_, at) => 200 + at)
const BASE64 = Buffer.from(SECRET).toString('base64')

const messageOf = (keys: unknown): string => {
  try {
    createSeal(keys as readonly SealKey[])
  } catch (error) {
    expect(error).toBeInstanceOf(HarmonyResponsesError)
    expect(error).toMatchObject({ code: 'bad_option' })
    return (error as Error).message
  }
  throw new Error('accepted')
}

describe('a key', () => {
  test.each<[string, SealKey['key']]>([
    ['a Buffer', Buffer.from(SECRET)],
    ['base64', BASE64],
    ['base64 without padding', BASE64.replace('=', '')],
    ['base64url', Buffer.from(SECRET).toString('base64url')],
    ['base64 with the line end of a file', `${BASE64}\n`],
  ])('a key may be %s', (_, key) => {
    const blob = createSeal([{ id: 'a', key: SECRET }])
      .forResponse({ caller: 'alice', nonce: NONCE })
      .seal('Hm.', 'rs_1')
    expect(createSeal([{ id: 'a', key }]).unseal(blob, { caller: 'alice' })).toMatchObject({ text: 'Hm.' })
  })

  test('a key is copied: its owner may wipe it', () => {
    const key = keyOf(1)
    const seal = createSeal([{ id: 'k1', key }])
    key.fill(0)
    expect(seal.unseal(SEALED.reasoning.blob, { caller: 'alice' })).toEqual(SEALED.reasoning.content)
  })

  test.each<[unknown, string]>([
    [undefined, 'keys: expected an array of { id, key }, got undefined'],
    [[], 'keys: expected an array of { id, key }, got an array'],
    [BASE64, 'keys: expected an array of { id, key }, got a string'],
    [SECRET, 'keys: expected an array of { id, key }, got Uint8Array'],
    [[BASE64], 'keys[0]: expected { id, key }, got a string'],
    [[null], 'keys[0]: expected { id, key }, got null'],
    [[{ id: 'a' }], 'keys[0].key: expected 32 bytes or their base64, got undefined'],
    [[{ id: 'a', key: SECRET.subarray(1) }], 'keys[0].key: expected 32 bytes or their base64, got 31 bytes'],
    [[{ id: 'a', key: [...SECRET] }], 'keys[0].key: expected 32 bytes or their base64, got an array'],
    [[{ id: 'a', key: 4242n }], 'keys[0].key: expected 32 bytes or their base64, got a bigint'],
    [[{ id: 'a', key: '' }], 'keys[0].key: expected 32 bytes or their base64, got 0 bytes'],
    [
      [{ id: 'a', key: Buffer.from(SECRET).toString('hex') }],
      'keys[0].key: expected 32 bytes or their base64, got 48 bytes',
    ],
    [
      [{ id: 'a', key: 'correct horse battery' }],
      'keys[0].key: expected 32 bytes or their base64, got a string that is not base64',
    ],
    [[{ key: SECRET }], 'keys[0].id: expected a non-empty string, got undefined'],
    [[{ kid: 'a', key: SECRET }], 'createSeal: there is no option "keys[0].kid"; it has key, id'],
    [[{ [BASE64]: 'a', key: SECRET }], 'keys[0]: expected { id, key }, got another name'],
    [[{ id: '', key: SECRET }], 'keys[0].id: expected a non-empty string, got a string'],
    [[{ id: 1, key: SECRET }], 'keys[0].id: expected a non-empty string, got a number'],
    [
      [
        { id: 'a', key: SECRET },
        { id: 'a', key: keyOf(1) },
      ],
      'keys[1].id: expected an id of its own, got "a"',
    ],
  ])('a key that is wrong is refused: %#', (keys, message) => {
    expect(messageOf(keys)).toBe(message)
  })

  test('a key is in no message, wherever it was put by mistake', () => {
    const hex = Buffer.from(SECRET).toString('hex')
    for (const key of [BASE64, hex, `${BASE64}!`, BASE64.slice(4)]) {
      for (const keys of [
        key,
        [key],
        { key },
        [{ id: 'a', key: key.slice(1) }],
        [{ id: key, key: 'a' }],
        [[key]],
        [{ [key]: 1 }],
      ]) {
        const message = messageOf(keys)
        for (let at = 0; at + 6 <= key.length; at++) expect(message).not.toContain(key.slice(at, at + 6))
      }
    }
  })

  test('a key is not in what a seal shows of itself', () => {
    const seal = createSeal([{ id: 'a', key: SECRET }])
    const response = seal.forResponse({ caller: 'alice', nonce: NONCE })
    for (const shown of [inspect(seal, { depth: 9 }), JSON.stringify(seal), inspect(response, { depth: 9 })]) {
      expect(shown).not.toMatch(/200|201|yMnKy/)
    }
  })
})
