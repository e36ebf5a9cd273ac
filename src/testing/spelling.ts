import { MESSAGE_ENDS } from '../core/harmony/stop-tokens.js'
import { FIRST_SPECIAL, SPECIAL } from '../core/harmony/vocabulary.js'
import type { TokenTable } from '../core/tokens/token-table.js'

/**
 * Returns the spelling of tokens as a string: a character for each byte, and one beyond the bytes for each marker. All
 * ends of messages are spelled alike.
 */
export function spell(tokens: Iterable<number>, tokenTable: TokenTable): string {
  let spelling = ''
  for (const id of tokens) {
    const marker = MESSAGE_ENDS.includes(id) ? SPECIAL.end : id
    if (id >= FIRST_SPECIAL) spelling += String.fromCharCode(0x100 + marker - FIRST_SPECIAL)
    else for (const byte of tokenTable.bytes(id)) spelling += String.fromCharCode(byte)
  }
  return spelling
}

/** Undefined if a character is cut. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
