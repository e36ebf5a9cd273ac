/*
 * Hashes of tokens. The hash of two tokens in a row follows from theirs, so that a table that stores each token as two others
 * hashes all of them without assembling one: reading every byte of 200,000 tokens took a tenth of a server's cold start.
 */

/** Any odd number; the fractional part of the golden ratio spreads well. */
const FACTOR = 0x9e3779b1
/** The longest token of any table, in bytes. */
const MAX_LENGTH = 256

/** `FACTOR` to the power of a token's length. */
const POWERS = /* @__PURE__ */ (() => {
  const powers = new Uint32Array(MAX_LENGTH + 1).fill(1)
  for (let length = 1; length <= MAX_LENGTH; length++) powers[length] = Math.imul(powers[length - 1] ?? 0, FACTOR)
  return powers
})()

/** Returns the hash of some bytes, as 32 bits. */
export function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0
  // Plus 1: otherwise zero bytes would not change the hash.
  for (let at = start; at < end; at++) hash = Math.imul(hash, FACTOR) + (bytes[at] ?? 0) + 1
  return hash >>> 0
}

/** Returns the hash of two tokens in a row, of their hashes and the length of the second one, up to 256 bytes. */
export function joinedHash(first: number, second: number, length: number): number {
  return (Math.imul(first, POWERS[length] ?? 0) + second) >>> 0
}
