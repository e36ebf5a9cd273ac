import { describe, expect, it } from 'vitest'
import { merges } from '../../src/tokens/generated/o200k-harmony.js'
import { loadTokenTable } from '../../src/tokens/load-token-table.js'
import { createMergeTable } from '../../src/tokens/merge-table.js'
import { createTokenTable } from '../../src/tokens/token-table.js'

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

  it('a table of merges gives all tokens at once as it gives each of them', async () => {
    for (const table of [createMergeTable(SMALL), createMergeTable(''), await loadTokenTable()]) {
      const { bytes, starts } = table.allBytes?.() ?? expect.unreachable()
      expect([starts.length, starts.at(-1)]).toEqual([table.size + 1, bytes.length])
      const wrong = Array.from({ length: table.size }, (_, id) => id).filter(
        (id) => !same(bytes.subarray(starts[id], starts[id + 1]), table.bytes(id)),
      )
      expect(wrong).toEqual([])
    }
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
    'o200k_harmony as merges gives the same bytes when asked %s, and keeps what it gave',
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
