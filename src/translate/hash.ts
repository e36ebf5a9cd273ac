/** A hash: 128 bits in four 32-bit lanes. */
export type Lanes = readonly [number, number, number, number]

/** Where every hash begins: no lane as another. */
export const SEED: Lanes = [1, 2, 3, 4]

/**
 * The hash of a text that goes on behind another. Each step changes the lanes one after another, by odd factors, shifts
 * and sums that can all be undone: no step lets two states become one, so two texts collide only where a later
 * character takes back, in all 128 bits, what an earlier one did.
 */
export function hash(text: string, before: Lanes): Lanes {
  let [a, b, c, d] = before
  // Two characters at a time; the length tells a last one alone from one with a zero behind it.
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
