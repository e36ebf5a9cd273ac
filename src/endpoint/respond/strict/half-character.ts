import type { TokenTable } from '../../../core/tokens/token-table.js'
import type { MatcherState } from '../../../engines/grammar/index.js'
import { intersection, LAST_CODE_POINT, type Range } from '../../../engines/grammar/ranges.js'

/**
 * An incomplete character at the end of a body: another process stopped between its tokens. A grammar knows only whole
 * characters, so the model continues without one until the character is complete, and each token is checked.
 */
export interface HalfCharacter {
  /** Returns the state after another token: undefined if the body may not continue with it. */
  push(id: number): HalfCharacter | 'complete' | undefined
  /** Tokens that complete it to the first character that the body may contain. */
  readonly completion: readonly number[]
}

/**
 * @param bytes - the present bytes: 1 to 3
 * @param before - the state of the body before the character
 * @returns undefined if no character that begins like this may follow
 */
export function halfCharacter(
  bytes: readonly number[],
  before: MatcherState,
  tokenTable: TokenTable,
): HalfCharacter | undefined {
  const [first] = intersection(before.allowed, [charactersOf(bytes)])
  if (first === undefined) return undefined
  return {
    get completion() {
      const all = new TextEncoder().encode(String.fromCodePoint(first[0]))
      return Array.from(all.subarray(bytes.length), (byte) => tokenOf(byte, tokenTable))
    },
    push(id) {
      const all = Uint8Array.from([...bytes, ...tokenTable.bytes(id)])
      // A control token has no bytes.
      const text = all.length === bytes.length ? undefined : validText(all)
      const after = text === undefined ? undefined : stateWith(before, text)
      if (text === undefined || after === undefined) return undefined
      const carried = all.subarray(new TextEncoder().encode(text).length)
      return carried.length === 0 ? 'complete' : halfCharacter([...carried], after, tokenTable)
    },
  }
}

/** Also returns undefined if there would be too many continuations. */
function stateWith(before: MatcherState, text: string): MatcherState | undefined {
  try {
    return before.accept(text)
  } catch {
    return undefined
  }
}

/** Returns the characters whose UTF-8 begins with these bytes. */
function charactersOf(bytes: readonly number[]): Range {
  const lead = bytes[0] ?? 0
  const [length, min] = lead < 0xe0 ? [2, 0x80] : lead < 0xf0 ? [3, 0x800] : [4, 0x10000]
  const bits = bytes.slice(1).reduce((code, byte) => (code << 6) | (byte & 0x3f), lead & (0xff >> (length + 1)))
  const missing = 6 * (length - bytes.length)
  return [Math.max(min, bits << missing), Math.min(LAST_CODE_POINT, ((bits + 1) << missing) - 1)]
}

/** Returns the whole characters of bytes that may end inside one; undefined if they are not UTF-8. */
function validText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true })
  } catch {
    return undefined
  }
}

/**
 * Returns the token of one byte. Every byte has one: `createEncoder` rejects other tables. Used too rarely for an
 * index.
 */
function tokenOf(byte: number, tokenTable: TokenTable): number {
  let id = 0
  while (tokenTable.bytes(id).length !== 1 || tokenTable.bytes(id)[0] !== byte) id += 1
  return id
}
