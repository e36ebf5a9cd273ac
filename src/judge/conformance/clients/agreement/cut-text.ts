/**
 * Whether a complete text was cut off: it ends within a delta, and more deltas follow. A server that loses, doubles, changes
 * or inserts whole deltas makes no such pair.
 */
export function isCutWithin(text: string, deltas: readonly string[]): boolean {
  let at = 0
  for (const [number, delta] of deltas.entries()) {
    if (!text.startsWith(delta, at))
      return at < text.length && number < deltas.length - 1 && delta.startsWith(text.slice(at))
    at += delta.length
  }
  return false
}
