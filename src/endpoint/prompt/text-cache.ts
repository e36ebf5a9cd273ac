import { createKnownTypes, type KnownTypes } from './known-types.js'

/** A cache of encoded texts: the beginning of a conversation recurs in each of its requests. */
export interface TextCache {
  /** Returns the ids of a text; undefined if it is not cached. */
  find(text: string): Uint32Array | undefined
  /** @param ids - called if the text is kept. It may return a view of ids that change later */
  add(text: string, ids: () => Uint32Array): void
  /** The types of listed tools. Owners share it: servers list the same tools for all of them. @internal */
  readonly types?: KnownTypes
  /** The texts of the conversation's own messages, which only its next response reads again. @internal */
  readonly said?: TextCache
}

/** A cache that owners share; by itself, that of an owner without a name. */
export interface SharedTextCache extends TextCache {
  /**
   * Returns the cache as an owner sees it: with the texts that this owner has used. By the time that a text takes, an
   * owner could otherwise test guesses at the texts of others.
   */
  of(owner: string): TextCache
}

/** Shorter texts are not cached, because encoding them is as fast as a look-up. In UTF-16 units. */
export const SHORTEST_TEXT = 256
/** The number of owners who find a text, at most: after that, the first of them no longer does. */
const MAX_OWNERS = 16
/** The bytes of a cached text: two per unit, and four per id. */
const UNIT_BYTES = 2

/**
 * Creates a cache of the most recently used texts.
 *
 * @param max - the limit of their size, with their ids, in bytes. A text that takes more than a quarter of it is not
 * cached. A quarter of it is the limit of the types of listed tools, which come on top
 *
 * @example
 * ```ts
 * import { loadTokenTable } from 'harmony-responses'
 * import { createTextCache, renderPrompt } from 'harmony-responses/prompt'
 *
 * const shared = createTextCache(16_777_216) // 16 MiB, for all requests of the process
 * const known = shared.of(userId)
 * const prompt = renderPrompt(request, { tokenTable: await loadTokenTable(), date: '2026-01-31', known })
 * ```
 */
export function createTextCache(max: number): SharedTextCache {
  const cache = new Map<string, KnownText>()
  const types = createKnownTypes(max / 4)
  let size = 0

  function find(text: string, owner: string): Uint32Array | undefined {
    const known = text.length < SHORTEST_TEXT ? undefined : cache.get(text)
    if (known === undefined || !known.owners.has(owner)) return undefined
    cache.delete(text)
    cache.set(text, known)
    return known.ids
  }

  function add(text: string, owner: string, idsOf: () => Uint32Array): void {
    if (text.length < SHORTEST_TEXT || UNIT_BYTES * text.length > max / 4) return
    const known = cache.get(text)
    if (known !== undefined) {
      const [first = owner] = known.owners
      if (known.owners.size === MAX_OWNERS) known.owners.delete(first)
      known.owners.add(owner)
      return
    }
    const ids = idsOf().slice()
    const added = bytesOfText(text, ids)
    if (added > max / 4) return
    cache.set(text, { ids, owners: new Set([owner]) })
    size += added
    for (const [oldest, its] of cache) {
      if (size <= max) break
      cache.delete(oldest)
      size -= bytesOfText(oldest, its.ids)
    }
  }

  const of = (owner: string): TextCache => ({
    find: (text) => find(text, owner),
    add: (text, ids) => add(text, owner, ids),
    types,
  })
  return { ...of(''), of }
}

interface KnownText {
  readonly ids: Uint32Array
  readonly owners: Set<string>
}

/** Returns what a text takes with its ids. */
export function bytesOfText(text: string, ids: Uint32Array): number {
  return UNIT_BYTES * text.length + ids.byteLength
}
