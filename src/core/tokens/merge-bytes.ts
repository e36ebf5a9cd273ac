import type { Slices, Work } from '../../shared/slices.js'
import type { TokenIndex } from './token-index.js'

/**
 * Encodes one piece by byte pairs: merges the neighbours that form the token with the lowest id, the leftmost first,
 * until no neighbours form a token. Appends the ids. Every byte has to be a token.
 */
export interface Merger {
  /** Scans all pairs after each merge, which is the fastest way for a word. */
  mergeShort(bytes: Uint8Array, start: number, end: number, ids: IdSink): void
  /** Takes linear time, except for sorting the positions of an id that are out of order. Pauses when work is due. */
  mergeLong(bytes: Uint8Array, ids: IdSink, work: Work): Slices<void>
}

/** A sink to which ids are appended. */
export interface IdSink {
  readonly length: number
  push(id: number): unknown
}

/** The longest piece for `mergeShort`, in bytes. */
export const MAX_SHORT_LENGTH = 64

export function createMerger(index: TokenIndex): Merger {
  /** The starts of the parts of a short piece, and the id of the token that each forms with its successor. */
  const starts = new Int32Array(MAX_SHORT_LENGTH + 1)
  const pairs = new Int32Array(MAX_SHORT_LENGTH + 1)

  return {
    mergeShort(bytes, start, end, ids) {
      const none = 0x7fff_ffff
      const pairAt = (at: number): number => index.idOf(bytes, starts[at] as number, starts[at + 2] as number) ?? none
      let count = end - start
      for (let at = 0; at <= count; at++) starts[at] = start + at
      for (let at = 0; at < count - 1; at++) pairs[at] = pairAt(at)
      for (;;) {
        let best = 0
        let min = none
        for (let at = 0; at < count - 1; at++) {
          if ((pairs[at] as number) < min) {
            min = pairs[at] as number
            best = at
          }
        }
        if (min === none) break
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
 * Merges id by id, from a queue of ids with the positions of each: a heap of all pairs would take n log n time, most of
 * it for cache misses. A merged part usually forms tokens of higher ids, so each id comes once.
 */
function* mergeLong(index: TokenIndex, bytes: Uint8Array, ids: IdSink, work: Work): Slices<void> {
  const { length } = bytes
  // Both are zero-filled, which the system does page by page: any other filling of 100 MB would take a slice of its
  // own.
  /** The length of a part minus 1, at its first byte and at its last. Tokens have at most 256 bytes. */
  const more = new Uint8Array(length)
  /** 1 + the id of the token that the part beginning here forms with its successor; 0 for none. */
  const pairs = new Uint32Array(length)
  const queue = createQueue()
  const lengthAt = (at: number): number => (more[at] as number) + 1

  function updatePair(at: number): void {
    const next = at + lengthAt(at)
    const id = next < length ? index.idOf(bytes, at, next + lengthAt(next)) : undefined
    pairs[at] = id === undefined ? 0 : id + 1
    if (id !== undefined) queue.push(id, at)
  }

  for (let at = 0; at + 1 < length; at++) {
    updatePair(at)
    if (--work.left <= 0) yield* work.pause()
  }
  for (let id = queue.min(); id !== undefined; id = queue.min()) {
    for (const positions of yield* queue.take(id, work)) {
      for (let next = 0; next < positions.length; next++) {
        const at = positions[next] as number
        if (--work.left <= 0) yield* work.pause()
        // A stale entry: one of its parts has grown since.
        if (pairs[at] !== id + 1) continue
        // A merge formed a lower id, which has precedence.
        if ((queue.min() ?? id) < id) {
          queue.push(id, at)
          continue
        }
        const second = at + lengthAt(at)
        const merged = lengthAt(at) + lengthAt(second)
        pairs[second] = 0
        more[at] = merged - 1
        more[at + merged - 1] = merged - 1
        if (at > 0) updatePair(at - lengthAt(at - 1))
        updatePair(at)
      }
    }
  }
  for (let at = 0; at < length; at += lengthAt(at)) {
    ids.push(index.idOf(bytes, at, at + lengthAt(at)) as number)
    if (--work.left <= 0) yield* work.pause()
  }
}

/** A queue of positions by id, the lowest id first. */
interface MergeQueue {
  push(id: number, position: number): void
  min(): number | undefined
  /** Removes an id, and returns its positions in order. */
  take(id: number, work: Work): Slices<readonly Uint32Array[]>
}

/** Each list of an id is twice as long as the previous one, up to the longest, so that none is copied to grow. */
const SHORTEST_LIST = 16
const MAX_LIST_LENGTH = 8192

/** The positions of one id. */
interface Positions {
  /** All lists but the last are full. */
  readonly lists: Uint32Array[]
  /** The number of positions in the last list. */
  count: number
  latest: number
  isSorted: boolean
}

function createQueue(): MergeQueue {
  const heap: number[] = []
  const all = new Map<number, Positions>()
  return {
    push(id, position) {
      let known = all.get(id)
      if (known === undefined) {
        known = { lists: [new Uint32Array(SHORTEST_LIST)], count: 0, latest: 0, isSorted: true }
        all.set(id, known)
        pushTo(heap, id)
      }
      let last = known.lists.at(-1) as Uint32Array
      if (known.count === last.length) {
        last = new Uint32Array(Math.min(2 * last.length, MAX_LIST_LENGTH))
        known.lists.push(last)
        known.count = 0
      }
      if (position < known.latest) known.isSorted = false
      known.latest = position
      last[known.count] = position
      known.count += 1
    },
    min: () => heap[0],
    *take(id, work) {
      const { lists, count, isSorted } = all.get(id) as Positions
      all.delete(id)
      popFrom(heap)
      lists.push((lists.pop() as Uint32Array).subarray(0, count))
      return isSorted ? lists : [yield* sorted(lists, work)]
    },
  }
}

function* sorted(lists: readonly Uint32Array[], work: Work): Slices<Uint32Array> {
  for (const list of lists) {
    list.sort()
    work.left -= list.length
    if (work.left <= 0) yield* work.pause()
  }
  let runs = lists
  while (runs.length > 1) {
    const longer: Uint32Array[] = []
    for (let at = 0; at < runs.length; at += 2) {
      const [first, second] = [runs[at] as Uint32Array, runs[at + 1]]
      longer.push(second === undefined ? first : yield* mergedInOrder(first, second, work))
    }
    runs = longer
  }
  return runs[0] as Uint32Array
}

function* mergedInOrder(a: Uint32Array, b: Uint32Array, work: Work): Slices<Uint32Array> {
  const all = new Uint32Array(a.length + b.length)
  let fromA = 0
  let fromB = 0
  for (let at = 0; at < all.length; at++) {
    const isNextOfA = fromB === b.length || (fromA < a.length && (a[fromA] as number) <= (b[fromB] as number))
    all[at] = (isNextOfA ? a[fromA++] : b[fromB++]) as number
    if (--work.left <= 0) yield* work.pause()
  }
  return all
}

/** Pushes onto a binary heap of numbers, the least first. */
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
