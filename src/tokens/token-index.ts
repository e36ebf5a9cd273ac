import type { AllBytes, TokenTable } from './token-table.js'

/** A reverse token table: from bytes to ids. */
export interface TokenIndex {
  /** Returns the id of the token with these bytes, or undefined. */
  idOf(bytes: Uint8Array, start: number, end: number): number | undefined
  /** The length of the longest token, in bytes. */
  readonly longest: number
}

/** Indexes a table, reading it once. If a token occurs twice, the first id wins. */
function createTokenIndex(table: TokenTable): TokenIndex {
  const { size } = table
  const { bytes: all, starts } = table.allBytes?.() ?? readAll(table)
  let longest = 0
  // Open addressing over typed arrays: a Map of strings takes four times as long to fill and five times the memory.
  const mask = 2 ** Math.ceil(Math.log2(2 * size + 2)) - 1
  /** The id plus 1, or 0 for none. */
  const slots = new Uint32Array(mask + 1)

  /** Returns the slot of these bytes, or the free slot for them. */
  function find(bytes: Uint8Array, start: number, end: number): number {
    let slot = hash(bytes, start, end) & mask
    for (;;) {
      const entry = slots[slot] ?? 0
      if (entry === 0 || isToken(entry - 1, bytes, start, end)) return slot
      slot = (slot + 1) & mask
    }
  }

  function isToken(id: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = starts[id] ?? 0
    if ((starts[id + 1] ?? 0) - from !== end - start) return false
    for (let at = start; at < end; at++) if (all[from + at - start] !== bytes[at]) return false
    return true
  }

  for (let id = 0; id < size; id++) {
    const from = starts[id] ?? 0
    const to = starts[id + 1] ?? 0
    longest = Math.max(longest, to - from)
    const slot = find(all, from, to)
    slots[slot] ||= id + 1
  }

  return {
    longest,
    idOf(bytes, start, end) {
      if (end - start > longest) return undefined
      const entry = slots[find(bytes, start, end)] ?? 0
      return entry === 0 ? undefined : entry - 1
    },
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

/** Reads a table token by token, if it has no `allBytes`. */
function readAll(table: TokenTable): AllBytes {
  const { size } = table
  const starts = new Uint32Array(size + 1)
  for (let id = 0; id < size; id++) starts[id + 1] = (starts[id] ?? 0) + table.bytes(id).length
  const bytes = new Uint8Array(starts[size] ?? 0)
  for (let id = 0; id < size; id++) bytes.set(table.bytes(id), starts[id])
  return { bytes, starts }
}

/** FNV-1a, with its high bits folded into the low ones, since only those are used. */
function hash(bytes: Uint8Array, start: number, end: number): number {
  let value = 0x811c9dc5
  for (let at = start; at < end; at++) value = Math.imul(value ^ (bytes[at] ?? 0), 0x01000193)
  return value ^ (value >>> 15)
}
