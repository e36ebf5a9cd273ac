/** A cache of the types that schemas are taught as: each request that declares an MCP server has those of all its tools. */
export interface KnownTypes {
  find(schema: object): string | undefined
  add(schema: object, type: string): void
}

/** A cached type: without a text, it has been evicted. It does not hold its schema, which a later listing replaces. */
interface KnownType {
  text: string | undefined
}

/** The bytes of a character, at most, and of what holds a type. */
const UNIT_BYTES = 2
const ENTRY_BYTES = 128

/**
 * Creates a cache of the most recently used types, by the schema's identity: that of a schema that nobody changes.
 *
 * @param max - the limit of their size in bytes
 */
export function createKnownTypes(max: number): KnownTypes {
  const bySchema = new WeakMap<object, KnownType>()
  /** Those with a text, the least recently used first. */
  const kept = new Set<KnownType>()
  let size = 0
  return {
    find(schema) {
      const known = bySchema.get(schema)
      if (known !== undefined && kept.delete(known)) kept.add(known)
      return known?.text
    },
    add(schema, text) {
      if (bySchema.get(schema)?.text !== undefined) return
      const added = { text }
      bySchema.set(schema, added)
      kept.add(added)
      size += sizeOf(text)
      for (const oldest of kept) {
        if (size <= max) break
        kept.delete(oldest)
        size -= sizeOf(oldest.text ?? '')
        oldest.text = undefined
      }
    },
  }
}

function sizeOf(text: string): number {
  return ENTRY_BYTES + UNIT_BYTES * text.length
}
