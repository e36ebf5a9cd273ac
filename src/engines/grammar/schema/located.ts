/** A schema with its place, or several that all have to hold. */
export type Located = { readonly schema: unknown; readonly path: string } | { readonly all: readonly Located[] }

export const ANYTHING: Located = { schema: true, path: '' }

/**
 * Returns a key of a schema and of the target of its `$ref`, by which recursion is detected. Each path of several has its
 * length in front, because the names in it may contain any separator.
 */
export function keyOf(located: Located): string {
  if (!('all' in located)) return located.path
  const keys = [...new Set(located.all.map(keyOf))].toSorted()
  return keys.map((key) => `${key.length}:${key}`).join('')
}

export function pathOf(located: Located): string {
  if (!('all' in located)) return located.path
  return located.all[0] === undefined ? '' : pathOf(located.all[0])
}

/** Requires both. */
export function both(one: Located, other: Located): Located {
  if (one === other || !saysSomething(other)) return one
  if (!saysSomething(one)) return other
  return allOf([one, other])
}

/** Requires all of them. */
export function allOf(all: readonly Located[]): Located {
  const parts = all.flatMap((each) => ('all' in each ? each.all : [each]))
  const different = [...new Map(parts.map((part) => [keyOf(part), part])).values()]
  return different.length === 1 ? (different[0] as Located) : { all: different }
}

function saysSomething(located: Located): boolean {
  return 'all' in located || located.schema !== true
}

/** Separates the path of a schema from the name of a derived one, which reports do not show. */
const MADE = '\u0000'

/** Returns the path of a schema derived from the one at a path. */
export function inside(path: string, name: string): string {
  return `${path}${MADE}${name}`
}

/** Returns the path of the client's own schema. */
export function writtenPath(path: string): string {
  const at = path.indexOf(MADE)
  return at === -1 ? path : path.slice(0, at)
}
