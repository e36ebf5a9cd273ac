import { hashOf } from './token-hash.js'
import type { TokenHashes, TokenTable } from './token-table.js'

/** A reverse token table: from bytes to ids. */
export interface TokenIndex {
  /** Returns the id of the token with these bytes, or undefined. */
  idOf(bytes: Uint8Array, start: number, end: number): number | undefined
  /** The length of the longest token, in bytes. */
  readonly longest: number
}

/** Indexes a table by the hashes of its tokens. If a token occurs twice, the first id wins. */
function createTokenIndex(table: TokenTable): TokenIndex {
  const { size } = table
  const { hashes, longest } = table.hashes?.() ?? hashAll(table)
  // Open addressing over typed arrays: a Map of strings takes four times as long to fill and five times the memory.
  const mask = 2 ** Math.ceil(Math.log2(2 * size + 2)) - 1
  /** The id plus 1, or 0 for none. */
  const slots = new Uint32Array(mask + 1)
  for (let id = 0; id < size; id++) {
    let slot = slotOf(hashes[id] ?? 0) & mask
    // Equal tokens begin at the same slot, so that a search comes to the lower id first.
    while (slots[slot] !== 0) slot = (slot + 1) & mask
    slots[slot] = id + 1
  }
  const isToken = comparer(table)

  return {
    longest,
    idOf(bytes, start, end) {
      if (end - start > longest) return undefined
      const hash = hashOf(bytes, start, end)
      for (let slot = slotOf(hash) & mask; ; slot = (slot + 1) & mask) {
        const entry = slots[slot] ?? 0
        if (entry === 0) return undefined
        if (hashes[entry - 1] === hash && isToken(entry - 1, bytes, start, end)) return entry - 1
      }
    },
  }
}

/** Returns a test of whether a token has these bytes. It copies the tokens that it compares: a view of each would be an object. */
function comparer(table: TokenTable): (id: number, bytes: Uint8Array, start: number, end: number) => boolean {
  /** The start of each token among the copies, plus 1; 0 for none. */
  const starts = new Uint32Array(table.size)
  const lengths = new Uint16Array(table.size)
  let copies = new Uint8Array(2 ** 14)
  let used = 0

  function copy(id: number): number {
    const bytes = table.bytes(id)
    if (used + bytes.length > copies.length) {
      const larger = new Uint8Array(2 * copies.length + bytes.length)
      larger.set(copies)
      copies = larger
    }
    copies.set(bytes, used)
    lengths[id] = bytes.length
    starts[id] = used + 1
    used += bytes.length
    return starts[id]
  }

  return (id, bytes, start, end) => {
    const from = (starts[id] || copy(id)) - 1
    if (lengths[id] !== end - start) return false
    for (let at = start; at < end; at++) if (copies[from + at - start] !== bytes[at]) return false
    return true
  }
}

/** A memo: it only saves the time of indexing, and keeps no table alive. */
const indexes = /* @__PURE__ */ new WeakMap<TokenTable, TokenIndex>()

/** Returns the index of a table, which is created once. */
export function tokenIndexOf(table: TokenTable): TokenIndex {
  let index = indexes.get(table)
  if (index === undefined) {
    index = createTokenIndex(table)
    indexes.set(table, index)
  }
  return index
}

/** Hashes a table token by token, if it has no `hashes`. */
function hashAll(table: TokenTable): TokenHashes {
  const { size } = table
  const hashes = new Uint32Array(size)
  let longest = 0
  for (let id = 0; id < size; id++) {
    const bytes = table.bytes(id)
    hashes[id] = hashOf(bytes, 0, bytes.length)
    longest = Math.max(longest, bytes.length)
  }
  return { hashes, longest }
}

/** Mixes the bits of a hash: only its low ones are used. */
function slotOf(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return (mixed ^ (mixed >>> 13)) >>> 0
}
