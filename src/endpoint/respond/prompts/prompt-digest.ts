/**
 * Returns a digest that distinguishes prompts: 64 bits of a hash of the ids, in hexadecimal digits. It detects
 * different conversations, policies and versions, none of which gains from a collision, so it need not be
 * cryptographic, and takes a nanosecond per id.
 */
export function promptDigest(ids: Uint32Array): string {
  let low = 0xdeadbeef ^ ids.length
  let high = 0x41c6ce57 ^ ids.length
  for (let at = 0; at < ids.length; at++) {
    const id = ids[at] as number
    low = Math.imul(low ^ id, 0x9e3779b1)
    low ^= low >>> 15
    high = Math.imul(high ^ id, 0x5f356495)
    high ^= high >>> 13
  }
  low = Math.imul(low ^ (high >>> 16), 0x85ebca6b)
  high = Math.imul(high ^ (low >>> 13), 0xc2b2ae35)
  return hex(low ^ (low >>> 16)) + hex(high ^ (high >>> 16))
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0')
}
