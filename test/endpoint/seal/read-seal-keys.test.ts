import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSeal, parseSealKeys } from '../../../src/endpoint/seal/index.js'
import { HarmonyResponsesError } from '../../../src/shared/errors.js'
import { RUNS } from '../../support/runs.js'
import { keyOf, NONCE } from './seals.js'

const base64 = (byte: number): string => Buffer.from(keyOf(byte)).toString('base64')
const sealedBy = (text: string): string =>
  createSeal(parseSealKeys(text)).forResponse({ caller: 'alice', nonce: NONCE }).seal('Hm.', 'rs_1')
const opens = (text: string, blob: string): boolean => !createSeal(parseSealKeys(text)).isForeign(blob)

test('keys are read from a text with commas or white space between them', () => {
  const [a, b, c] = [1, 2, 3].map(base64)
  const keys = parseSealKeys(`${a}`)
  expect(keys).toEqual([{ id: expect.stringMatching(/^[\w-]{12}$/), key: keyOf(1) }])
  const all = parseSealKeys(`${a},${b} ${c}`)
  for (const text of [`${a}\n${b}\n${c}\n`, ` ${a}, ${b},\r\n\t${c},`]) expect(parseSealKeys(text)).toEqual(all)
})

test('of the keys of a text the first seals and all open, wherever they move in it', () => {
  const [a, b] = [1, 2].map(base64)
  const blob = sealedBy(`${a}`)
  expect(sealedBy(`${a} ${b}`)).toBe(blob)
  expect(sealedBy(`${b} ${a}`)).not.toBe(blob)
  expect([opens(`${b} ${a}`, blob), opens(`${b}`, blob)]).toEqual([true, false])
})

test('the id of a key shows nothing of the key', () => {
  const [{ id = '', key } = {}] = parseSealKeys(base64(1))
  expect(Buffer.from(key as Uint8Array).toString('base64')).not.toContain(id)
  expect(new Set([1, 2, 3].map((byte) => parseSealKeys(base64(byte))[0]?.id)).size).toBe(3)
})

test('no error about the keys of a text has a word of it', () => {
  const word = fc.oneof(fc.base64String({ minLength: 12 }), fc.stringMatching(/^[a-z0-9]{12,80}$/))
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 3 }), (words) => {
      try {
        parseSealKeys(words.join('\n'))
      } catch (error) {
        expect(error).toBeInstanceOf(HarmonyResponsesError)
        for (const each of words) expect(inspect(error)).not.toContain(each)
      }
    }),
    { numRuns: RUNS },
  )
})

test('a text has 64 keys at most', () => {
  const many = Array.from({ length: 65 }, (_, byte) => base64(byte))
  expect(parseSealKeys(many.slice(1).join(' '))).toHaveLength(64)
  expect(() => parseSealKeys(many.join(' '))).toThrow('keys: expected at most 64, got 65')
  expect(() => parseSealKeys(undefined as never)).toThrow('parseSealKeys: expected a text of keys')
})
