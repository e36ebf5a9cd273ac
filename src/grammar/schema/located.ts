import { UnsupportedSchema } from '../unsupported-schema.js'
import { isJsonObject, type JsonObject } from './keywords.js'

/** A schema and where it stands, or several that all have to hold. */
export type Located = { readonly schema: unknown; readonly path: string } | { readonly all: readonly Located[] }

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
  const parts = [one, other].flatMap((each) => ('all' in each ? each.all : [each])).filter(saysSomething)
  const different = parts.filter((part, index) => parts.findIndex((each) => keyOf(each) === keyOf(part)) === index)
  if (different.length === 0) return one
  return different.length === 1 ? (different[0] as Located) : { all: different }
}

function saysSomething(located: Located): boolean {
  return 'all' in located || located.schema !== true
}

/** What a `$ref` points at, in its own document. */
export function resolve(document: unknown, ref: unknown, path: string): Located {
  const at = `${path}/$ref`
  if (typeof ref !== 'string') throw new UnsupportedSchema(at, "A '$ref' has to be a string.")
  if (ref !== '#' && !ref.startsWith('#/')) {
    throw new UnsupportedSchema(at, "A '$ref' has to point into the schema itself: '#/$defs/NAME'.")
  }
  const names = ref.split('/').slice(1)
  let schema = document
  for (const name of names.map((each) => unescaped(each, at))) {
    const isThere = typeof schema === 'object' && schema !== null && Object.hasOwn(schema, name)
    if (!isThere) throw new UnsupportedSchema(at, "A '$ref' points at nothing.")
    schema = (schema as JsonObject)[name]
  }
  if (!isJsonObject(schema) && typeof schema !== 'boolean') {
    throw new UnsupportedSchema(at, "A '$ref' points at something that is no schema.")
  }
  return { schema, path: names.map((name) => `/${decoded(name, at)}`).join('') }
}

function unescaped(name: string, at: string): string {
  return decoded(name, at).replaceAll('~1', '/').replaceAll('~0', '~')
}

function decoded(name: string, at: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    throw new UnsupportedSchema(at, "A '$ref' is no valid URI fragment.")
  }
}
