/** Prefixes a tool's name with its server or namespace, for diagnostics and people. */
export function qualifiedName(name: string, parent: string | null | undefined): string {
  return parent == null ? name : `${parent}.${name}`
}
