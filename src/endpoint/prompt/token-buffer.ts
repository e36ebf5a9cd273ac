/** A growing list of token ids: appending takes amortized constant time, and a million ids take 4 MB. */
export interface TokenBuffer {
  readonly length: number
  push(id: number): void
  append(ids: ArrayLike<number>): void
  /** Returns a copy of the ids from an index on. */
  slice(start: number): Uint32Array
  /** Returns the ids so far without a copy, valid until more are added. */
  view(): Uint32Array
  /** Returns a copy of the ids so far. */
  toArray(): Uint32Array
}

/** @param room - the initial capacity in ids */
export function createTokenBuffer(room = 1024): TokenBuffer {
  let ids = new Uint32Array(room)
  let length = 0

  function reserve(count: number): void {
    if (length + count <= ids.length) return
    const grown = new Uint32Array(Math.max(length + count, 2 * ids.length))
    grown.set(ids.subarray(0, length))
    ids = grown
  }

  return {
    get length() {
      return length
    },
    push(id) {
      reserve(1)
      ids[length] = id
      length += 1
    },
    append(more) {
      reserve(more.length)
      ids.set(more, length)
      length += more.length
    },
    slice: (start) => ids.slice(start, length),
    view: () => ids.subarray(0, length),
    toArray: () => ids.slice(0, length),
  }
}
