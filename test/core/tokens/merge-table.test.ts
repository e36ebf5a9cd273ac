import { describe, expect, it } from 'vitest'
import { createEncoder } from '../../../src/core/tokens/encoder.js'
import { merges } from '../../../src/core/tokens/generated/o200k-harmony.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import { createMergeTable } from '../../../src/core/tokens/merge-table.js'
import { hashOf } from '../../../src/core/tokens/token-hash.js'
import { tokenIndexOf } from '../../../src/core/tokens/token-index.js'
import { createTokenTable } from '../../../src/core/tokens/token-table.js'

/** `a`, `b`, `ab`, `aba`, and the two halves of `é` with the whole: six digits each, `(` is 0 and `)` is 1. */
const SMALL = byPlace(['((( ()I', '(() ()J', '((( (()', '((* (((', '((, (++', '((- (*Q', '((, ((-'])

describe('a table of merges', () => {
  it('a table of merges reads the tokens that are written', () => {
    const table = createMergeTable(SMALL)
    expect(table.size).toBe(7)
    expect(tokensOf(table)).toEqual([[97], [98], [97, 98], [97, 98, 97], [0xc3], [0xa9], [0xc3, 0xa9]])
    expect([0, 1, 2, 3, 4, 5, 6, 7].map(table.text)).toEqual([
      'a',
      'b',
      'ab',
      'aba',
      undefined,
      undefined,
      'é',
      undefined,
    ])
  })

  it('a table of merges hashes all tokens at once as the bytes of each are hashed', async () => {
    for (const table of [createMergeTable(SMALL), createMergeTable(''), await loadTokenTable()]) {
      const { hashes, longest } = table.hashes?.() ?? expect.unreachable()
      expect(hashes.length).toBe(table.size)
      const tokens = Array.from({ length: table.size }, (_, id) => table.bytes(id))
      const wrong = tokens.flatMap((token, id) => (hashOf(token, 0, token.length) === hashes[id] ? [] : [id]))
      expect(wrong).toEqual([])
      expect(longest).toBe(tokens.reduce((most, { length }) => Math.max(most, length), 0))
    }
  })

  it('a token that stands twice is encoded as its first id', () => {
    const bytes = Array.from({ length: 256 }, (_, byte) => byte)
    const lengths = [...bytes.map(() => 1), 2, 2]
    const table = createTokenTable(Uint8Array.from([...lengths, ...bytes, 97, 98, 97, 98]))
    expect(createEncoder(table)('ab')).toEqual([256])
  })

  it('a token is not taken for another one of the same hash', () => {
    const bytes = Array.from({ length: 256 }, (_, byte) => byte)
    const raw = createTokenTable(Uint8Array.from([...bytes.map(() => 1), 2, ...bytes, 97, 98]))
    // All tokens have the hash of `zz`, which is none of them.
    const hashes = new Uint32Array(raw.size).fill(hashOf(Uint8Array.of(122, 122), 0, 2))
    const table = { ...raw, hashes: () => ({ hashes, longest: 2 }) }
    expect(tokenIndexOf(table).idOf(Uint8Array.of(122, 122), 0, 2)).toBeUndefined()
  })

  it('a table of merges may be empty', () => {
    expect(createMergeTable('').size).toBe(0)
    expect(createMergeTable('').text(0)).toBeUndefined()
  })

  it('a table of merges writes none of its digits in a way that a string literal has to escape', () => {
    expect(merges).toMatch(/^[(-[\]-h]+$/)
  })
})

describe('o200k_harmony as merges', () => {
  it('o200k_harmony as merges has the texts that `createTokenTable` gives for the same bytes', async () => {
    const table = await loadTokenTable()
    const tokens = Array.from({ length: table.size }, (_, id) => table.bytes(id))
    const raw = createTokenTable(Buffer.concat([Uint8Array.from(tokens, ({ length }) => length), ...tokens]))
    expect(raw.size).toBe(table.size)
    const wrong = tokens.flatMap((token, id) =>
      raw.text(id) === table.text(id) && same(raw.bytes(id), token) ? [] : [id],
    )
    expect(wrong).toEqual([])
  })

  it.each(Object.entries(orders()))(
    'o200k_harmony as merges gives the same bytes when asked %s, and caches its result',
    async (_name, order) => {
      const expected = await loadTokenTable()
      const table = createMergeTable(merges)
      const given = order(table.size).map((id) => [id, table.bytes(id)] as const)
      // Compared at the end: each has to have outlived all that was put together after it.
      const wrong = given.flatMap(([id, bytes]) => (same(bytes, expected.bytes(id)) ? [] : [id]))
      expect(wrong).toEqual([])
    },
  )
})

function orders(): Record<string, (size: number) => number[]> {
  const upwards = (size: number): number[] => Array.from({ length: size }, (_, id) => id)
  return {
    'from the first to the last': upwards,
    'from the last to the first': (size) => upwards(size).reverse(),
    // 7919 has no factor in common with the size, so every id comes once.
    'far apart': (size) => upwards(size).map((id) => (id * 7919) % size),
  }
}

/** The first digit of each token, then the second of each, and so on. */
function byPlace(tokens: string[]): string {
  const digits = tokens.map((token) => token.replace(' ', ''))
  return [0, 1, 2, 3, 4, 5].map((place) => digits.map((token) => token[place]).join('')).join('')
}

function tokensOf(table: { size: number; bytes(id: number): Uint8Array }): number[][] {
  return Array.from({ length: table.size }, (_, id) => [...table.bytes(id)])
}

function same(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0
}
