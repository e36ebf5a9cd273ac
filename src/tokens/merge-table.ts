import { createTextLookup } from './text-lookup.js'
import type { TokenTable } from './token-table.js'

/** Characters per token: two numbers of three digits each. */
const WIDTH = 6
const DIGITS = 3
/** The digits of base 64 are the characters from `(` on, without the backslash, which a string literal would double. */
const ZERO = 0x28
const BACKSLASH = 0x5c

/**
 * A table that is read where it stands: a token is written as the two shorter tokens that make it up, and put together
 * when it is asked for. So there is nothing to unpack before the first token, and nothing that a runtime could lack.
 *
 * Six characters per token, in the order of the ids: the ids of its first and second part, each as three digits of base
 * 64, the highest first. A token of one byte has its own id there, and then the byte. The ids of the parts are lower
 * than the token's, and tokens have at most 255 bytes: who writes the table sees to it.
 */
export function createMergeTable(merges: string): TokenTable {
  const size = merges.length / WIDTH
  const noBytes = new Uint8Array(0)
  /** Where the bytes of each token start in the pool; 0 until it is there. */
  const starts = new Uint32Array(size)
  /**
   * The tokens that were asked for and their parts, each its length and then its bytes. Views of them are out there.
   */
  let pool = new Uint8Array(2 ** 16)
  let end = 0

  function bytes(id: number): Uint8Array {
    const start = starts[id]
    return start === undefined ? noBytes : view(start || assemble(id))
  }

  function view(start: number): Uint8Array {
    return pool.subarray(start, start + lengthAt(start))
  }

  /** Puts a token into the pool, after its parts: where its bytes start. */
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
      copy(head, start)
      copy(tail, start + lengthAt(head))
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

  /** Takes room for a token at the end of the pool: where its bytes are to start. */
  function reserve(length: number): number {
    if (end + 1 + length > pool.length) {
      // The old pool stays with the views of it that are out there.
      const larger = new Uint8Array(2 * pool.length)
      larger.set(pool)
      pool = larger
    }
    pool[end] = length
    const start = end + 1
    end = start + length
    return start
  }

  function copy(from: number, to: number): void {
    // A loop, as copyWithin takes longer to call than these few bytes to copy.
    for (let at = 0; at < lengthAt(from); at++) pool[to + at] = pool[from + at] ?? 0
  }

  return { text: createTextLookup(size, bytes), bytes, size }
}
