import { isJsonObject } from './keywords.js'
import { type Located, resolve } from './located.js'
import { readShape } from './read-shape.js'
import { commonTypes, type Shape } from './shape.js'
import { typeOf } from './values.js'

/** So many references are followed, one after the other. */
const MOST_REFERENCES = 10

/** Whether it is certain that no value is both: the parts of a `oneOf`. */
export function areDisjoint(document: unknown, one: Shape, other: Shape): boolean {
  const common = commonTypes(one.types, other.types)
  if (common.size === 0) return true
  if (one.values !== undefined && other.values !== undefined) return haveOtherValues(one.values, other.values)
  const listed = one.values ?? other.values
  if (listed !== undefined) {
    const types = listed.map(typeOf)
    return types.every(
      (type) => type !== undefined && !common.has(type) && !(type === 'integer' && common.has('number')),
    )
  }
  return common.size === 1 && common.has('object') && haveOtherObjects(document, one, other)
}

function haveOtherObjects(document: unknown, one: Shape, other: Shape): boolean {
  return [...new Set([...one.required, ...other.required])].some((name) => {
    const [left, right] = [propertyOf(one, name), propertyOf(other, name)]
    if (one.required.has(name) && 'schema' in right && right.schema === false) return true
    if (other.required.has(name) && 'schema' in left && left.schema === false) return true
    if (!one.required.has(name) || !other.required.has(name)) return false
    const [ones, others] = [valuesOf(document, left), valuesOf(document, right)]
    return ones !== undefined && others !== undefined && haveOtherValues(ones, others)
  })
}

function haveOtherValues(ones: readonly unknown[], others: readonly unknown[]): boolean {
  const known = new Set(ones.map((value) => JSON.stringify(value)))
  // The text of an object depends on the order of its properties.
  const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null
  return ones.every(isPlain) && others.every((value) => isPlain(value) && !known.has(JSON.stringify(value)))
}

function propertyOf({ properties, additional }: Shape, name: string): Located {
  return properties.get(name) ?? additional
}

/** The values that a schema lists itself, or the one that its `$ref` points at. */
function valuesOf(document: unknown, located: Located): readonly unknown[] | undefined {
  let at = located
  for (let followed = 0; followed < MOST_REFERENCES; followed++) {
    if ('all' in at || !isJsonObject(at.schema)) return undefined
    const { schema, path } = at
    const values = readShape(schema, path).values
    if (values !== undefined || !Object.hasOwn(schema, '$ref')) return values
    at = resolve(document, schema['$ref'], path)
  }
  return undefined
}
