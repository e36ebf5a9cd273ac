/** A schema and where it stands, or several that all have to hold. */
export type Located = { readonly schema: unknown; readonly path: string } | { readonly all: readonly Located[] }

export const ANYTHING: Located = { schema: true, path: '' }

/** Names that a schema and what its `$ref` points at are known by, so that recursive schemas end. */
export function keyOf(located: Located): string {
  if (!('all' in located)) return located.path
  return [...new Set(located.all.map(keyOf))].toSorted().join('\n')
}

export function pathOf(located: Located): string {
  if (!('all' in located)) return located.path
  return located.all[0] === undefined ? '' : pathOf(located.all[0])
}

/** Both of them. */
export function both(one: Located, other: Located): Located {
  if (one === other || !saysSomething(other)) return one
  if (!saysSomething(one)) return other
  return allOf([one, other])
}

/** All of them, of which each says something. */
export function allOf(all: readonly Located[]): Located {
  const parts = all.flatMap((each) => ('all' in each ? each.all : [each]))
  const different = [...new Map(parts.map((part) => [keyOf(part), part])).values()]
  return different.length === 1 ? (different[0] as Located) : { all: different }
}

function saysSomething(located: Located): boolean {
  return 'all' in located || located.schema !== true
}

/** Between the path of a schema and the name of one that was made of it: no report shows what follows. */
const MADE = '\u0000'

/** The path of a schema that is made of the one at a path. */
export function inside(path: string, name: string): string {
  return `${path}${MADE}${name}`
}

/** The path of what the client wrote. */
export function writtenPath(path: string): string {
  const at = path.indexOf(MADE)
  return at === -1 ? path : path.slice(0, at)
}
