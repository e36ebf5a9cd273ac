/** Returns the names that a path begins with, before a dot: of namespaces, or of servers. The longest comes first. */
export function prefixesOf(path: string, names: ReadonlyMap<string, unknown>): string[] {
  const found: string[] = []
  // Iterates over dots, not over names: a request may declare thousands.
  for (let at = path.length; at > 0; ) {
    at = path.lastIndexOf('.', at - 1)
    const name = path.slice(0, Math.max(at, 0))
    if (at >= 0 && names.has(name)) found.push(name)
  }
  return found
}
