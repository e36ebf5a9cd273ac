import { describe, expect, test } from 'vitest'
import { deriveId, type IdPrefix } from '../../../src/core/options/ids.js'
import { sized } from '../../support/runs.js'

// Recorded: ids are in snapshots and stored responses, so that the same arguments have to give the same id for ever.
test('the same arguments give the same id for ever', () => {
  expect(deriveId('msg', 0, 'resp_1')).toBe('msg_8792679e0000000000fd523b500a0c5912e37caecb01e5338c')
  expect(deriveId('fc', 255, 'resp_0123456789abcdef')).toBe('fc_ae671cb900000000ff60f72f08c3cebaa207c28142ee4d0f6d')
  expect(deriveId('call', 1, 'resp_1')).toBe('call_APMwL0gQOmj0kyE1i0gMXmK3')
  expect(deriveId('call', 70000, 'resp_0123456789abcdef')).toBe('call_meLvv3QnfMq29LjBd2zYDL82')
  expect(deriveId('rs', 4294967295, 'r')).toBe('rs_458e042f00ffffffff84d873c3b79123770924f7e5f9dea526')
})

test('ids have the form of the API', () => {
  expect(deriveId('msg', 3, 'resp_1')).toMatch(/^msg_[0-9a-f]{50}$/)
  expect(deriveId('call', 3, 'resp_1')).toMatch(/^call_[0-9a-zA-Z]{24}$/)
})

test('a text with a zero after it is another text', () => {
  expect(deriveId('call', 0, 'a')).not.toBe(deriveId('call', 0, 'a\u0000'))
})

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** The 128 bits that an id was drawn from, as four words, read back from its digits. */
function wordsOf(id: string): number[] {
  const [base, width, text] = id.startsWith('call_') ? [62, 6, id.slice(5)] : [16, 8, id.slice(-32)]
  return Array.from({ length: 4 }, (_, lane) =>
    [...text.slice(lane * width, (lane + 1) * width)].reduceRight((sum, at) => sum * base + ALPHABET.indexOf(at), 0),
  )
}

// Of 8192 ids, a good hash has two pairs with the same 24 bits.
const COUNT = sized(1 << 16, 1 << 13)
const hex = (at: number): string => at.toString(16).padStart(8, '0')

/** Ids from nearly equal inputs, on which a weak hash collides first. */
const families: Record<string, (at: number) => string> = {
  'items of responses that are counted': (at) => deriveId('msg', 0, `resp_${at}`),
  'calls of responses that are counted': (at) => deriveId('call', 1, `resp_${at}`),
  'calls of one response': (at) => deriveId('call', at, 'resp_1'),
  'items of one response': (at) => deriveId('rs', at, 'resp_1'),
  'calls of few responses of every kind': (at) => deriveId('call', at & 15, `resp_${hex(at >> 4)}`),
  'calls of responses whose ids differ at the beginning': (at) => deriveId('call', 0, `${hex(at)}${'0'.repeat(42)}`),
  'items of many prefixes': (at) =>
    deriveId((['msg', 'rs', 'fc', 'mcp'] as IdPrefix[])[at & 3] as IdPrefix, (at >> 2) & 3, `resp_${at >> 4}`),
}

/** Windows of 24 bits, over every lane and across two. */
const windows: ((words: readonly number[]) => number)[] = [0, 1, 2, 3].flatMap((lane) => [
  (words) => (words[lane] as number) >>> 8,
  (words) => (words[lane] as number) & 0xffffff,
  (words) => ((words[lane] as number) & 0xfff) | (((words[(lane + 1) & 3] as number) >>> 20) << 12),
])

describe.each(Object.entries(families))('of %s', (_, idOf) => {
  const words = Array.from({ length: COUNT }, (_, at) => wordsOf(idOf(at)))

  test('no bit of the hash of an id is lost: every word is whole', () => {
    for (const lane of [0, 1, 2, 3]) {
      const [and, or] = words.reduce<[number, number]>(
        ([and, or], word) => [and & (word[lane] as number), or | (word[lane] as number)],
        [-1, 0],
      )
      expect([and, or]).toEqual([0, -1])
    }
    expect(words.every((word) => word.every((lane) => lane >= 0 && lane < 2 ** 32))).toBe(true)
  })

  test('24 bits of an id collide as often as the birthday bound says, wherever they are taken', () => {
    const expected = COUNT ** 2 / 2 / 2 ** 24
    for (const window of windows) {
      const seen = new Map<number, number>()
      let collisions = 0
      for (const word of words) {
        const bits = window(word)
        const before = seen.get(bits) ?? 0
        collisions += before
        seen.set(bits, before + 1)
      }
      // Six standard deviations: what is drawn here is always the same, so this fails always or never.
      expect(Math.abs(collisions - expected)).toBeLessThan(6 * Math.sqrt(expected))
    }
  })

  test('whole ids never collide', () => {
    expect(new Set(words.map(String)).size).toBe(COUNT)
  })
})
