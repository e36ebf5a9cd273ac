import { createTextLookup } from './text-lookup.js'
import { joinedHash } from './token-hash.js'
import type { TokenHashes, TokenTable } from './token-table.js'

/** Digits per token: two numbers of three digits each. */
const DIGITS = 6
/** Base-64 digits are the characters from `(` on, without the backslash, which a string literal has to escape. */
const ZERO = 0x28
const BACKSLASH = 0x5c
/**
 * Creates a table that needs no unpacking: each token is stored as the two shorter tokens it consists of, and is
 * assembled when it is first requested. Loading is therefore instant, and no runtime feature such as decompression is
 * needed.
 *
 * Six digits of base 64 per token: the ids of its first and second part, each as three digits, the highest first. A
 * token of one byte has its own id there, and then the byte. The text has the first digit of all tokens in the order of
 * their ids, then the second digit of all, and so on: digits of one place are alike, so the packed table is a tenth
 * smaller than with each token's digits side by side. The ids of the parts are lower than the token's, and tokens have
 * at most 255 bytes; the script that writes the table ensures both.
 */
export function createMergeTable(merges: string): TokenTable {
  const size = merges.length / DIGITS
  const noBytes = new Uint8Array(0)
  /** Where the bytes of each token start in the pool; 0 until it is assembled. */
  const starts = new Uint32Array(size)
  /** The requested tokens and their parts, each preceded by its length. Callers hold views of it. */
  let pool = new Uint8Array(2 ** 16)
  let end = 0

  function bytes(id: number): Uint8Array {
    const start = starts[id]
    return start === undefined ? noBytes : view(start || assemble(id))
  }

  function view(start: number): Uint8Array {
    return pool.subarray(start, start + lengthAt(start))
  }

  /** Adds a token to the pool, after its parts. Returns where its bytes start. */
  function assemble(id: number): number {
    const first = number(id)
    const second = number(id + 3 * size)
    let start: number
    if (first === id) {
      start = reserve(1)
      pool[start] = second
    } else {
      const head = starts[first] || assemble(first)
      const tail = starts[second] || assemble(second)
      start = reserve(lengthAt(head) + lengthAt(tail))
      pool.copyWithin(start, head, head + lengthAt(head))
      pool.copyWithin(start + lengthAt(head), tail, tail + lengthAt(tail))
    }
    starts[id] = start
    return start
  }

  function number(at: number): number {
    return numberOf(merges.charCodeAt(at), merges.charCodeAt(at + size), merges.charCodeAt(at + 2 * size))
  }

  function lengthAt(start: number): number {
    return pool[start - 1] ?? 0
  }

  /** Reserves room for a token at the end of the pool. Returns where its bytes start. */
  function reserve(length: number): number {
    if (end + 1 + length > pool.length) {
      // Existing views keep the old pool alive.
      const larger = new Uint8Array(2 * pool.length)
      larger.set(pool)
      pool = larger
    }
    pool[end] = length
    const start = end + 1
    end = start + length
    return start
  }

  /** The parts of a token precede it, so that one pass over the ids hashes them all. */
  function hashes(): TokenHashes {
    // As bytes: reading a string character by character takes twice as long.
    const codes = new TextEncoder().encode(merges)
    const all = new Uint32Array(size)
    const lengths = new Uint8Array(size)
    let longest = 0
    for (let id = 0; id < size; id++) {
      const first = numberOf(codes[id], codes[id + size], codes[id + 2 * size])
      const second = numberOf(codes[id + 3 * size], codes[id + 4 * size], codes[id + 5 * size])
      const isByte = first === id
      const more = isByte ? 0 : (lengths[second] ?? 0)
      const length = isByte ? 1 : (lengths[first] ?? 0) + more
      all[id] = isByte ? second + 1 : joinedHash(all[first] ?? 0, all[second] ?? 0, more)
      lengths[id] = length
      if (length > longest) longest = length
    }
    return { hashes: all, longest }
  }

  return { text: createTextLookup(size, bytes), bytes, size, hashes }
}

function numberOf(high = 0, middle = 0, low = 0): number {
  return ((VALUES[high] ?? 0) << 12) | ((VALUES[middle] ?? 0) << 6) | (VALUES[low] ?? 0)
}

/** The value of each digit, by its character: a table is read twice as fast as by comparing each with the backslash. */
const VALUES = /* @__PURE__ */ Uint8Array.from({ length: 128 }, (_, code) => code - ZERO - (code > BACKSLASH ? 1 : 0))
