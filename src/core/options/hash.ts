/** A hash: 128 bits in four 32-bit lanes. */
export type HashLanes = readonly [number, number, number, number]

/** The initial lanes, all different. */
export const SEED: HashLanes = [1, 2, 3, 4]

/**
 * Continues a hash with more text. Each step updates the lanes one by one with invertible operations (odd factors,
 * shifts and sums), so it never merges two states: two texts collide only if a later character reverts, in all 128
 * bits, what an earlier one changed.
 */
export function hash(text: string, before: HashLanes): HashLanes {
  let [a, b, c, d] = before
  // Two characters at a time; the length distinguishes a single last one from one followed by a zero.
  a ^= text.length
  for (let at = 0; at < text.length; at += 2) {
    const pair = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16)
    a = (Math.imul(a ^ pair, 0x9e3779b1) + d) | 0
    b = Math.imul(b ^ a ^ (a >>> 15), 0x85ebca77)
    c = Math.imul(c + b + (b >>> 13), 0xc2b2ae3d)
    d = Math.imul(d ^ c ^ (c >>> 16), 0x27d4eb2f)
  }
  return [a, b, c, d]
}
