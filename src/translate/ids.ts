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
  const own = `${responseId}/${prefix}/${ordinal}`
  if (prefix === 'call') return `call_${digits(36, 24, own)}`
  // The ordinal itself is part of the id: no two ids of a response can be equal.
  return `${prefix}_${digits(16, 16, responseId)}00${ordinal.toString(16).padStart(8, '0')}${digits(16, 24, own)}`
}

/** Digits drawn from a seed: a 32-bit FNV-1a hash of it, spread by the splitmix32 generator. No secret is kept by them. */
function digits(base: 16 | 36, count: number, seed: string): string {
  let state = 0x811c9dc5
  for (let at = 0; at < seed.length; at++) state = Math.imul(state ^ seed.charCodeAt(at), 0x01000193)
  let drawn = ''
  while (drawn.length < count) {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    drawn += (((mixed ^ (mixed >>> 15)) >>> 0) % base).toString(base)
  }
  return drawn
}
