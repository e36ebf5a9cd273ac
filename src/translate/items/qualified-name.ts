/** The name of a tool after that of its server or namespace, for people. */
export function qualifiedName(name: string, parent: string | null | undefined): string {
  return parent == null ? name : `${parent}.${name}`
}
