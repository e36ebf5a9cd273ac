import type { Slices, Work } from '../../shared/slices.js'

/** How many characters are hashed in the time that reading one takes. */
const SPEED = 8
/** The characters between two looks at the work that is left. */
const CHUNK = 65_536

/** Returns 53 bits of a hash of a text. Collisions are rare, and must be harmless. */
export function* hashOf(text: string, work: Work): Slices<number> {
  let low = 0xdeadbeef
  let high = 0x41c6ce57
  for (let from = 0; from < text.length; from += CHUNK) {
    const until = Math.min(text.length, from + CHUNK)
    for (let at = from; at < until; at++) {
      const unit = text.charCodeAt(at)
      low = Math.imul(low ^ unit, 0x9e3779b1)
      low ^= low >>> 15
      high = Math.imul(high ^ unit, 0x5f356495)
      high ^= high >>> 13
    }
    work.left -= (until - from) / SPEED
    if (work.left <= 0) yield* work.pause()
  }
  return 2 ** 21 * ((high ^ (low >>> 7)) >>> 0) + ((low ^ (high >>> 11)) >>> 11)
}
