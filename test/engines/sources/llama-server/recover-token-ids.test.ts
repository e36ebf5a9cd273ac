import { describe, expect, test, vi } from 'vitest'
import { loadTokenTable } from '../../../../src/core/tokens/load-token-table.js'
import { createTokenIdRecovery } from '../../../../src/engines/sources/llama-server/recover-token-ids.js'
import { decodeTokens } from '../../../support/tokens.js'

const table = await loadTokenTable()
const recovery = createTokenIdRecovery(table)
const utf8 = new TextEncoder()

/** The token that is the last byte of a text, and nothing else. */
function lastByteOf(text: string): number {
  const byte = utf8.encode(text).at(-1)
  for (let id = 0; id < table.size; id++) if (String(table.bytes(id)) === String(byte)) return id
  return expect.unreachable(text)
}

describe('tokens that were held back', () => {
  test.each([1, 2, 3, 4, 50, 1000])(
    'tokens that were held back are found of %i characters, the last of which came in two tokens',
    (count) => {
      const text = '🦜'.repeat(count)
      const last = lastByteOf(text)
      const ids = recovery.find(text, table.bytes(last), 0) ?? []
      expect(decodeTokens([...ids, last])).toBe(text)
    },
  )

  test.each([2, 3])('tokens that were held back are as many as there were: %i', (count) => {
    const last = lastByteOf('🦜')
    const ids = recovery.find('🦜', table.bytes(last), count)
    expect(ids).toHaveLength(count)
    expect(decodeTokens([...(ids ?? []), last])).toBe('🦜')
  })

  test('tokens that were held back are found of more than there are levels in the stack', () => {
    const text = '🦜'.repeat(50_000)
    const last = lastByteOf('🦜')
    const ids = recovery.find(text, table.bytes(last), 150_000) ?? []
    expect(decodeTokens([...ids, last])).toBe(text)
  })

  test('tokens that were held back are not found of text that has U+FFFD for a byte', () => {
    expect(recovery.find(`${'🦜'.repeat(500)}\ufffd`, table.bytes(lastByteOf('🦜')), 0)).toBeUndefined()
  })

  test('tokens that were held back are found without an endless search if the text cannot be cut into so many', () => {
    const text = `${'🌦🦜'.repeat(20)}`
    const last = lastByteOf(text)
    const ids = recovery.find(text, table.bytes(last), 3) ?? []
    expect(decodeTokens([...ids, last])).toBe(text)
  })

  test('looking for fewer tokens than the text needs takes work that grows with the text alone', () => {
    const last = lastByteOf('🦜')
    const lookUps = (pairs: number): number => {
      const spy = vi.spyOn(Map.prototype, 'get')
      recovery.find('🌦🦜'.repeat(pairs), table.bytes(last), pairs)
      const { length } = spy.mock.calls
      spy.mockRestore()
      return length
    }
    expect(lookUps(400) / lookUps(200)).toBeLessThan(2.5)
  })
})
