import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { FIRST_SPECIAL, VOCABULARY_SIZE } from '../../../src/core/harmony/vocabulary.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import { createTokenTable } from '../../../src/core/tokens/token-table.js'

const table = await loadTokenTable()
const oracle = readOracle()

/** The bytes of all tokens, as gpt-tokenizer's data has them. */
function readOracle(): Buffer[] {
  const path = fileURLToPath(import.meta.resolve('gpt-tokenizer/data/o200k_base.tiktoken'))
  const tokens: Buffer[] = []
  for (const line of readFileSync(path, 'latin1').trimEnd().split('\n')) {
    const [base64 = '', rank] = line.split(' ')
    tokens[Number(rank)] = Buffer.from(base64, 'base64')
  }
  return tokens
}

/** The text of bytes, or undefined if they are not UTF-8. */
function strictText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

describe('the token table of o200k_harmony', () => {
  it('the token table of o200k_harmony holds 199,998 ordinary tokens', () => {
    expect(table.size).toBe(199_998)
    expect(oracle.length).toBe(table.size)
  })

  it('the token table of o200k_harmony has the bytes of every token', () => {
    const wrong = oracle.flatMap((bytes, id) => (bytes.equals(table.bytes(id)) ? [] : [id]))
    expect(wrong).toEqual([])
  })

  it('the token table of o200k_harmony has the text of every token, the first time and from then on', () => {
    for (const _time of ['decoded', 'remembered']) {
      const wrong = oracle.flatMap((bytes, id) => (table.text(id) === strictText(bytes) ? [] : [id]))
      expect(wrong).toEqual([])
    }
  })

  it('the token table of o200k_harmony has no text for the 1,562 tokens that are not UTF-8 on their own', () => {
    expect(oracle.filter((_, id) => table.text(id) === undefined).length).toBe(1562)
  })

  it('the token table of o200k_harmony keeps a byte order mark', () => {
    const id = oracle.findIndex((bytes) => bytes.equals(Buffer.from('\uFEFF')))
    expect(table.text(id)).toBe('\uFEFF')
  })

  it('the token table of o200k_harmony has neither text nor bytes for special tokens', () => {
    for (let id = FIRST_SPECIAL; id < VOCABULARY_SIZE; id++) {
      expect(table.text(id)).toBeUndefined()
      expect(table.bytes(id).length).toBe(0)
    }
  })

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 32])(
    'the token table of o200k_harmony has neither text nor bytes for %d',
    (id) => {
      expect(table.text(id)).toBeUndefined()
      expect(table.bytes(id).length).toBe(0)
    },
  )

  it('the token table of o200k_harmony is loaded once', async () => {
    expect(await loadTokenTable()).toBe(table)
  })
})

describe('a table from raw bytes', () => {
  it('a table from raw bytes reads as many tokens as there are lengths', () => {
    const small = createTokenTable(Uint8Array.of(1, 3, 1, 0x61, 0xe2, 0x82, 0xac, 0xe2))
    expect(small.size).toBe(3)
    expect([0, 1, 2, 3].map(small.text)).toEqual(['a', '€', undefined, undefined])
  })

  it('a table from raw bytes may be empty', () => {
    expect(createTokenTable(new Uint8Array(0)).size).toBe(0)
  })

  it('a table from raw bytes refuses bytes in which lengths and tokens do not add up', () => {
    expect(() => createTokenTable(Uint8Array.of(1, 3, 0x61))).toThrow(expect.objectContaining({ code: 'bad_option' }))
  })
})
