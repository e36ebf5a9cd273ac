import type { Slices, Work } from '../../shared/slices.js'

/** How many characters are hashed in the time that reading one takes. */
const SPEED = 8
/** The characters between two looks at the work that is left. */
const CHUNK = 65_536

/** The two halves of a hash of a text so far. */
interface Halves {
  low: number
  high: number
}

/** Returns 53 bits of a hash of a text. Collisions are rare, and must be harmless. */
export function* hashOf(text: string, work: Work): Slices<number> {
  const halves: Halves = { low: 0xdeadbeef, high: 0x41c6ce57 }
  for (let from = 0; from < text.length; from += CHUNK) {
    const until = Math.min(text.length, from + CHUNK)
    mix(halves, text, from, until)
    work.left -= (until - from) / SPEED
    if (work.left <= 0) yield* work.pause()
  }
  const { low, high } = halves
  return 2 ** 21 * ((high ^ (low >>> 7)) >>> 0) + ((low ^ (high >>> 11)) >>> 11)
}

/** A function of its own: V8 compiles a loop while it runs, but not that of a generator. */
function mix(halves: Halves, text: string, from: number, until: number): void {
  let { low, high } = halves
  for (let at = from; at < until; at++) {
    const unit = text.charCodeAt(at)
    low = Math.imul(low ^ unit, 0x9e3779b1)
    low ^= low >>> 15
    high = Math.imul(high ^ unit, 0x5f356495)
    high ^= high >>> 13
  }
  halves.low = low
  halves.high = high
}
