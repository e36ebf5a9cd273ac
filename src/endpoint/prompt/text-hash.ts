/** Returns 53 bits of a hash of a text. Collisions are rare, and must be harmless. */
export function hashOf(text: string): number {
  let low = 0xdeadbeef
  let high = 0x41c6ce57
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    low = Math.imul(low ^ unit, 0x9e3779b1)
    low ^= low >>> 15
    high = Math.imul(high ^ unit, 0x5f356495)
    high ^= high >>> 13
  }
  return 2 ** 21 * ((high ^ (low >>> 7)) >>> 0) + ((low ^ (high >>> 11)) >>> 11)
}
