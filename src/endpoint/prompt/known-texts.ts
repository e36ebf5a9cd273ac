/** A cache of encoded texts: the beginning of a conversation recurs in each of its requests. */
export interface KnownTexts {
  find(text: string): Uint32Array | undefined
  /** @param ids - called if the text is kept */
  add(text: string, ids: () => Uint32Array): void
}

/** Shorter texts are not cached, because encoding them is as fast as a look-up. In UTF-16 units. */
const SHORTEST = 256
/** The bytes of a cached text: two per unit, and four per id. */
const UNIT_BYTES = 2

/**
 * Creates a cache of the most recently used texts.
 *
 * @param most - the limit of their size, with their ids, in bytes. A text that takes more than a quarter of it is not
 * cached
 */
export function createKnownTexts(most: number): KnownTexts {
  const cache = new Map<string, Uint32Array>()
  let size = 0
  const sizeOf = (text: string, ids: Uint32Array): number => UNIT_BYTES * text.length + ids.byteLength
  return {
    find(text) {
      if (text.length < SHORTEST) return undefined
      const ids = cache.get(text)
      if (ids === undefined) return undefined
      cache.delete(text)
      cache.set(text, ids)
      return ids
    },
    add(text, idsOf) {
      if (text.length < SHORTEST || UNIT_BYTES * text.length > most / 4) return
      const ids = idsOf()
      const added = sizeOf(text, ids)
      if (cache.has(text) || added > most / 4) return
      cache.set(text, ids)
      size += added
      for (const [oldest, its] of cache) {
        if (size <= most) break
        cache.delete(oldest)
        size -= sizeOf(oldest, its)
      }
    },
  }
}
