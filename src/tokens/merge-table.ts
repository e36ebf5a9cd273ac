import { createTextLookup } from './text-lookup.js'
import type { AllBytes, TokenTable } from './token-table.js'

/** Characters per token: two numbers of three digits each. */
const WIDTH = 6
const DIGITS = 3
/** Base-64 digits are the characters from `(` on, without the backslash, which a string literal has to escape. */
const ZERO = 0x28
const BACKSLASH = 0x5c

/**
 * A table that needs no unpacking: each token is stored as the two shorter tokens it consists of, and is assembled when
 * it is first requested. Loading is therefore instant, and no runtime feature such as decompression is needed.
 *
 * Six characters per token, in the order of the ids: the ids of its first and second part, each as three digits of base
 * 64, the highest first. A token of one byte has its own id there, and then the byte. The ids of the parts are lower
 * than the token's, and tokens have at most 255 bytes; the script that writes the table ensures both.
 */
export function createMergeTable(merges: string): TokenTable {
  const size = merges.length / WIDTH
  const noBytes = new Uint8Array(0)
  /** Where the bytes of each token start in the pool; 0 until it is assembled. */
  const starts = new Uint32Array(size)
  /** The requested tokens and their parts, each as its length and then its bytes. Callers hold views of it. */
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
    const first = number(id * WIDTH)
    const second = number(id * WIDTH + DIGITS)
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
    return (digit(at) << 12) | (digit(at + 1) << 6) | digit(at + 2)
  }

  function digit(at: number): number {
    const code = merges.charCodeAt(at)
    return code < BACKSLASH ? code - ZERO : code - ZERO - 1
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

  /** The parts of a token stand before it, so that one pass over the ids writes them all. */
  function allBytes(): AllBytes {
    const offsets = new Uint32Array(size + 1)
    const parts = new Uint32Array(2 * size)
    for (let id = 0; id < size; id++) {
      const [first, second] = [number(id * WIDTH), number(id * WIDTH + DIGITS)]
      parts[2 * id] = first
      parts[2 * id + 1] = second
      const length = first === id ? 1 : lengthOf(first) + lengthOf(second)
      offsets[id + 1] = (offsets[id] ?? 0) + length
    }
    function lengthOf(id: number): number {
      return (offsets[id + 1] ?? 0) - (offsets[id] ?? 0)
    }
    const written = new Uint8Array(offsets[size] ?? 0)
    let at = 0
    function copy(id: number): void {
      const to = offsets[id + 1] ?? 0
      // Byte by byte: most parts are shorter than what a call of the runtime costs.
      for (let from = offsets[id] ?? 0; from < to; from++) written[at++] = written[from] ?? 0
    }
    for (let id = 0; id < size; id++) {
      const first = parts[2 * id] ?? 0
      const second = parts[2 * id + 1] ?? 0
      if (first === id) written[at++] = second
      else {
        copy(first)
        copy(second)
      }
    }
    return { bytes: written, starts: offsets }
  }

  return { text: createTextLookup(size, bytes), bytes, size, allBytes }
}
