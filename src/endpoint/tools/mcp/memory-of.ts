/** Bytes of an object, an array or a text itself, and of a field or an element. */
const OBJECT = 24
const FIELD = 8

/**
 * Estimates the bytes of memory that JSON takes. It stops beyond the limit, so that it takes no longer than the limit
 * allows, whatever the JSON.
 *
 * @param max - the limit in bytes; more is returned if the JSON takes more
 */
export function memoryOf(json: unknown, max: number): number {
  let bytes = 0
  const waiting: unknown[] = [json]
  // Iterative: a server's JSON may be nested as deep as a message is long.
  while (waiting.length > 0 && bytes <= max) {
    const next = waiting.pop()
    if (typeof next === 'string') bytes += OBJECT + 2 * next.length
    if (typeof next !== 'object' || next === null) continue
    bytes += OBJECT
    for (const name in next) {
      bytes += FIELD + (Array.isArray(next) ? 0 : 2 * name.length)
      if (bytes > max) break
      waiting.push((next as Record<string, unknown>)[name])
    }
  }
  return bytes
}
