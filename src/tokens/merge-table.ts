import { createTextLookup } from './text-lookup.js'
import type { AllBytes, TokenTable } from './token-table.js'

/** Digits per token: two numbers of three digits each. */
const DIGITS = 6
/** Base-64 digits are the characters from `(` on, without the backslash, which a string literal has to escape. */
const ZERO = 0x28
const BACKSLASH = 0x5c
/** The longest token: its length takes one byte of the pool. */
const MOST_BYTES = 255

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

  /** The parts of a token precede it, so that one pass over the ids writes them all. */
  function allBytes(): AllBytes {
    // As bytes: reading a string character by character takes twice as long.
    const codes = new TextEncoder().encode(merges)
    const offsets = new Uint32Array(size + 1)
    let all = new Uint8Array(8 * size + MOST_BYTES)
    let end = 0
    for (let id = 0; id < size; id++) {
      const first = numberOf(codes[id], codes[id + size], codes[id + 2 * size])
      const second = numberOf(codes[id + 3 * size], codes[id + 4 * size], codes[id + 5 * size])
      if (end + MOST_BYTES > all.length) {
        const larger = new Uint8Array(2 * all.length)
        larger.set(all)
        all = larger
      }
      if (first === id) all[end++] = second
      else {
        // Copied byte by byte, since most parts are too short to be worth a call of the runtime.
        for (let from = offsets[first] ?? 0, to = offsets[first + 1] ?? 0; from < to; from++)
          all[end++] = all[from] ?? 0
        for (let from = offsets[second] ?? 0, to = offsets[second + 1] ?? 0; from < to; from++) {
          all[end++] = all[from] ?? 0
        }
      }
      offsets[id + 1] = end
    }
    return { bytes: all.subarray(0, end), starts: offsets }
  }

  return { text: createTextLookup(size, bytes), bytes, size, allBytes }
}

function numberOf(high = 0, middle = 0, low = 0): number {
  return (digit(high) << 12) | (digit(middle) << 6) | digit(low)
}

function digit(code: number): number {
  return code < BACKSLASH ? code - ZERO : code - ZERO - 1
}
