import { hash, SEED } from './hash.js'

/** The prefixes of the API's ids, without the underscore. */
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
  | 'cmp'
  | 'fs'
  | 'ig'
  | 'cu'
  | 'tsc'
  | 'tso'
  | 'apc'
  | 'item'
  | 'cntr'
  | 'call'

/**
 * Creates the id with number `ordinal` (0, 1, 2, ... in one response). It has to be a pure function of its arguments,
 * so that a snapshot, a replay, another chunking and another process produce the same ids.
 */
export type IdFactory = (prefix: IdPrefix, ordinal: number, responseId: string) => string

/**
 * Ids in the API's form: the prefix and 50 hexadecimal digits, the first 8 of them shared by all ids of a response;
 * `call_` and 24 letters or digits for a call.
 *
 * Every id contains all 128 bits of a hash of the three arguments. Ids of n responses with random ids collide with a
 * probability of n^2 / 2^129, and within a response the ordinal alone makes them unique. The hash is not cryptographic,
 * so a response id that others must not guess has to be random itself, as the default one is.
 */
export const deriveId: IdFactory = (prefix, ordinal, responseId) => {
  const ofResponse = hash(responseId, SEED)
  // The suffix lets the ordinal's last digit affect every bit.
  const own = hash(`${prefix}/${ordinal}/scrambled`, ofResponse)
  // Six base-62 digits hold the 32 bits of a lane. In base 36, the 24 digits would hold only 124 of 128 bits.
  if (prefix === 'call') return flat(`call_${digits(62, 6, own)}`)
  const shared = digits(16, 8, ofResponse.slice(3))
  return flat(`${prefix}_${shared}00${ordinal.toString(16).padStart(8, '0')}${digits(16, 8, own)}`)
}

/** Formats the lanes as numbers with `width` digits each. */
function digits(base: 16 | 62, width: number, lanes: readonly number[]): string {
  const codes = new Array<number>(lanes.length * width)
  let at = 0
  for (const lane of lanes) {
    let rest = lane >>> 0
    for (let digit = 0; digit < width; digit++) {
      const value = rest % base
      // `0` to `9`, `a` to `z`, `A` to `Z`.
      codes[at++] = value + (value < 10 ? 48 : value < 36 ? 87 : 29)
      rest = (rest / base) >>> 0
    }
  }
  // In one call: concatenating digit by digit would keep a 2 kB rope alive as long as the item.
  return String.fromCharCode(...codes)
}

/**
 * Flattens a string that was concatenated and may be a rope. Reading a character makes engines flatten it, which costs
 * less than `join`. The result depends on the character only so that the read is not optimized away.
 */
function flat(text: string): string {
  return text.charCodeAt(0) === 0 ? text.slice() : text
}
