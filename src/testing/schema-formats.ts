import { type Fields, isFields } from '../shared/fields.js'

/** The maximum number of schemas that are visited for one value: a client's may refer to each other. */
const MAX_SCHEMAS = 500

/** Returns the formats that a schema has for the value at a path, at any place. */
export function formatsAt(schema: unknown, path: readonly (string | number)[]): string[] {
  let schemas = withParts([schema], schema)
  for (const key of path)
    schemas = withParts(
      schemas.flatMap((each) => inside(each, key)),
      schema,
    )
  return [...new Set(schemas.map(({ format }) => format))].filter((format) => typeof format === 'string')
}

/** Adds the schemas that these consist of. */
function withParts(given: readonly unknown[], document: unknown): Fields[] {
  const all = new Set(given.filter(isFields))
  // The list grows during the loop.
  for (const each of all) {
    if (all.size > MAX_SCHEMAS) break
    const parts = [each['allOf'], each['anyOf'], each['oneOf']].flat()
    const own = [each['then'], each['else'], ...parts, target(each['$ref'], document)]
    for (const part of own) if (isFields(part)) all.add(part)
  }
  return [...all]
}

/** Returns the schemas of a property or an item. */
function inside(schema: Fields, key: string | number): unknown[] {
  if (typeof key === 'number') {
    const items = schema['items']
    const listed = [schema['prefixItems'], items].filter(Array.isArray).map((list: readonly unknown[]) => list[key])
    return [...listed, ...(Array.isArray(items) ? [schema['additionalItems']] : [items])]
  }
  const properties = schema['properties']
  if (isFields(properties) && Object.hasOwn(properties, key)) return [properties[key]]
  return [...Object.values(Object(schema['patternProperties'])), schema['additionalProperties']]
}

/** Returns the target of a `$ref`, which was checked when the schema was compiled. */
function target(ref: unknown, document: unknown): unknown {
  if (typeof ref !== 'string' || !ref.startsWith('#')) return undefined
  const names = ref.slice(1).split('/').slice(1)
  return names.reduce<unknown>((schema, name) => {
    const key = decoded(name).replaceAll('~1', '/').replaceAll('~0', '~')
    return typeof schema === 'object' && schema !== null && Object.hasOwn(schema, key)
      ? (schema as Fields)[key]
      : undefined
  }, document)
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
