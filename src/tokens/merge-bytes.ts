import type { TokenIndex } from './token-index.js'
import type { Work } from './work.js'

/**
 * Byte pair encoding of one piece: merges the neighbours that form the token with the lowest id, the leftmost first,
 * until no neighbours form a token. Appends the ids. Every byte has to be a token.
 */
export interface Merger {
  /** Looks at all pairs after each merge, which is the fastest way for a word. */
  mergeShort(bytes: Uint8Array, start: number, end: number, ids: number[]): void
  /** Takes linear time, but for sorting the positions of an id where they are not in order. Pauses when work is due. */
  mergeLong(bytes: Uint8Array, ids: number[], work: Work): Generator<undefined, void>
}

/** In bytes. */
export const LONGEST_SHORT = 64

export function createMerger(index: TokenIndex): Merger {
  /** Where the parts of a short piece begin, and the id of the token that each forms with the next one. */
  const starts = new Int32Array(LONGEST_SHORT + 1)
  const pairs = new Int32Array(LONGEST_SHORT + 1)

  return {
    mergeShort(bytes, start, end, ids) {
      const none = 0x7fff_ffff
      const pairAt = (at: number): number => index.idOf(bytes, starts[at] as number, starts[at + 2] as number) ?? none
      let count = end - start
      for (let at = 0; at <= count; at++) starts[at] = start + at
      for (let at = 0; at < count - 1; at++) pairs[at] = pairAt(at)
      for (;;) {
        let best = 0
        let least = none
        for (let at = 0; at < count - 1; at++) {
          if ((pairs[at] as number) < least) {
            least = pairs[at] as number
            best = at
          }
        }
        if (least === none) break
        starts.copyWithin(best + 1, best + 2, count + 1)
        pairs.copyWithin(best + 1, best + 2, count - 1)
        count -= 1
        if (best < count - 1) pairs[best] = pairAt(best)
        if (best > 0) pairs[best - 1] = pairAt(best - 1)
      }
      for (let at = 0; at < count; at++) {
        ids.push(index.idOf(bytes, starts[at] as number, starts[at + 1] as number) as number)
      }
    },
    mergeLong: (bytes, ids, work) => mergeLong(index, bytes, ids, work),
  }
}

/**
 * Merges id by id, from a queue of ids with the positions of each: a heap of all pairs takes n log n time, most of it
 * for memory that is far apart. A merged part usually forms tokens of higher ids, so each id comes once.
 */
function* mergeLong(index: TokenIndex, bytes: Uint8Array, ids: number[], work: Work): Generator<undefined, void> {
  const { length } = bytes
  /** The length of a part, at its first byte and at its last. Tokens have at most 255 bytes. */
  const lengths = new Uint8Array(length).fill(1)
  /** The id of the token that the part that begins here forms with the next one; -1 for none. */
  const pairs = new Int32Array(length).fill(-1)
  const queue = createQueue()

  function updatePair(at: number): void {
    const next = at + (lengths[at] as number)
    const id = next < length ? index.idOf(bytes, at, next + (lengths[next] as number)) : undefined
    pairs[at] = id ?? -1
    if (id !== undefined) queue.push(id, at)
  }

  for (let at = 0; at + 1 < length; at++) {
    updatePair(at)
    if (--work.left <= 0) yield* work.pause()
  }
  for (let id = queue.least(); id !== undefined; id = queue.least()) {
    for (const positions of queue.take(id)) {
      for (let next = 0; next < positions.length; next++) {
        const at = positions[next] as number
        if (--work.left <= 0) yield* work.pause()
        // Skip a stale entry: one of its parts has grown since.
        if (pairs[at] !== id) continue
        // A merge formed a lower id, which comes first.
        if ((queue.least() ?? id) < id) {
          queue.push(id, at)
          continue
        }
        const second = at + (lengths[at] as number)
        const merged = (lengths[at] as number) + (lengths[second] as number)
        pairs[second] = -1
        lengths[at] = merged
        lengths[at + merged - 1] = merged
        if (at > 0) updatePair(at - (lengths[at - 1] as number))
        updatePair(at)
      }
    }
  }
  for (let at = 0; at < length; at += lengths[at] as number) {
    ids.push(index.idOf(bytes, at, at + (lengths[at] as number)) as number)
    if (--work.left <= 0) yield* work.pause()
  }
}

/** Positions by id, the least id first. */
interface MergeQueue {
  push(id: number, position: number): void
  least(): number | undefined
  /** Takes out an id, and returns its positions in order. */
  take(id: number): readonly ArrayLike<number>[]
}

/** Longer lists are not made: they would be copied whenever they grow. */
const LONGEST_LIST = 32_768

function createQueue(): MergeQueue {
  const heap: number[] = []
  const all = new Map<number, { readonly lists: number[][]; last: number[]; isSorted: boolean }>()
  return {
    push(id, position) {
      const known = all.get(id)
      if (known === undefined) {
        const last = [position]
        all.set(id, { lists: [last], last, isSorted: true })
        pushTo(heap, id)
        return
      }
      if (position < (known.last[known.last.length - 1] as number)) known.isSorted = false
      if (known.last.length < LONGEST_LIST) known.last.push(position)
      else {
        known.last = [position]
        known.lists.push(known.last)
      }
    },
    least: () => heap[0],
    take(id) {
      const { lists, isSorted } = all.get(id) ?? { lists: [], isSorted: true }
      all.delete(id)
      popFrom(heap)
      return isSorted ? lists : [sorted(lists)]
    },
  }
}

function sorted(lists: readonly number[][]): Uint32Array {
  const all = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const list of lists) {
    all.set(list, at)
    at += list.length
  }
  return all.sort()
}

/** A binary heap of numbers, the least first. */
function pushTo(heap: number[], key: number): void {
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

function popFrom(heap: number[]): void {
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return
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
}
