import { flat } from './text-buffer.js'

/** What an id is for: the prefix of the API's ids, without its underscore. */
export type IdPrefix =
  | 'msg'
  | 'rs'
  | 'fc'
  | 'ctc'
  | 'mcp'
  | 'mcpl'
  | 'mcpr'
  | 'ci'
  | 'ws'
  | 'sh'
  | 'sho'
  | 'lsh'
  | 'cntr'
  | 'call'

/**
 * Makes the id number `ordinal` (0, 1, 2, ... in one response) of a response. It has to be a pure function of its
 * arguments, so that a snapshot, a replay, another chunking and another process give the same ids.
 */
export type IdFactory = (prefix: IdPrefix, ordinal: number, responseId: string) => string

/**
 * Ids of the form the API uses: the prefix and 50 hexadecimal digits, of which the first 16 are shared by all ids of a
 * response; `call_` and 24 letters or digits for a call.
 */
export const deriveId: IdFactory = (prefix, ordinal, responseId) => {
  const ofResponse = hash(responseId)
  const own = hash(`/${prefix}/${ordinal}`, ofResponse)
  if (prefix === 'call') return flat(`call_${digits(36, 24, own)}`)
  // The ordinal itself is part of the id: no two ids of a response can be equal.
  return flat(`${prefix}_${digits(16, 16, ofResponse)}00${ordinal.toString(16).padStart(8, '0')}${digits(16, 24, own)}`)
}

/** A 32-bit FNV-1a hash of a text, or of one that goes on behind another. */
function hash(text: string, before = 0x811c9dc5): number {
  let state = before
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193)
  return state
}

/** Digits drawn from a seed, spread by the splitmix32 generator. No secret is kept by them. */
function digits(base: 16 | 36, count: number, seed: number): string {
  const codes: number[] = []
  for (let state = seed; codes.length < count; ) {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    const digit = ((mixed ^ (mixed >>> 15)) >>> 0) % base
    // `0` to `9`, then `a` to `z`.
    codes.push(digit + (digit < 10 ? 48 : 87))
  }
  // At once: put together digit by digit, each id would be a rope of two kilobytes for as long as its item lives.
  return String.fromCharCode(...codes)
}
