import type { TokenIndex } from './token-index.js'

/** More than any position within a piece. */
const POSITIONS = 2 ** 32

/**
 * Byte pair encoding of one piece: merges the neighbours that form the token with the lowest id, the leftmost first,
 * until no neighbours form a token. Appends the ids.
 *
 * Every byte has to be a token. Takes n log n time with a heap; rescanning all pairs after each merge takes minutes for
 * a text of 100,000 letters.
 */
export function mergeBytes(index: TokenIndex, bytes: Uint8Array, start: number, end: number, ids: number[]): void {
  const length = end - start
  /** The end of the part that begins here, and the start of the part before it. Stale for merged parts. */
  const ends = new Uint32Array(length)
  const befores = new Int32Array(length)
  /** The id of the token that the part that begins here forms with the next one; -1 for none. */
  const pairs = new Int32Array(length).fill(-1)
  const heap: number[] = []

  function updatePair(at: number): void {
    const next = ends[at] ?? length
    const id = next < length ? index.idOf(bytes, start + at, start + (ends[next] ?? 0)) : undefined
    pairs[at] = id ?? -1
    if (id !== undefined) push(heap, id * POSITIONS + at)
  }

  for (let at = 0; at < length; at++) {
    ends[at] = at + 1
    befores[at] = at - 1
  }
  for (let at = 0; at + 1 < length; at++) updatePair(at)
  for (let key = pop(heap); key !== undefined; key = pop(heap)) {
    const id = Math.floor(key / POSITIONS)
    const at = key - id * POSITIONS
    // Skip a stale entry: one of its parts has grown since.
    if (pairs[at] !== id) continue
    const next = ends[at] ?? length
    const after = ends[next] ?? length
    ends[at] = after
    pairs[next] = -1
    if (after < length) befores[after] = at
    updatePair(at)
    const before = befores[at] ?? -1
    if (before >= 0) updatePair(before)
  }

  for (let at = 0; at < length; at = ends[at] ?? length) {
    const id = index.idOf(bytes, start + at, start + (ends[at] ?? 0))
    if (id !== undefined) ids.push(id)
  }
}

/** A binary heap of numbers, the least first. */
function push(heap: number[], key: number): void {
  let at = heap.length
  heap.push(key)
  while (at > 0) {
    const parent = (at - 1) >> 1
    const above = heap[parent] ?? 0
    if (above <= key) break
    heap[at] = above
    at = parent
  }
  heap[at] = key
}

function pop(heap: number[]): number | undefined {
  const least = heap[0]
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return least
  let at = 0
  for (;;) {
    let child = 2 * at + 1
    if (child >= heap.length) break
    if ((heap[child + 1] ?? Number.POSITIVE_INFINITY) < (heap[child] ?? 0)) child += 1
    const below = heap[child] ?? 0
    if (below >= last) break
    heap[at] = below
    at = child
  }
  heap[at] = last
  return least
}
