import { FORMATS } from './formats.js'
import { ANYTHING, inside, keyOf, type Located, pathOf, writtenPath } from './located.js'
import { ANY_SHAPE, type Bound, isNothing, type Shape } from './shape.js'
import { JSON_TYPES, type JsonType } from './types.js'

/**
 * Returns the values that a shape forbids, as alternatives: each violates one of its constraints. Undefined if one
 * cannot be expressed, since the alternatives would then allow less than the negation.
 */
export function negated(shape: Shape, path: string): readonly Shape[] | undefined {
  const alternatives = [
    ...otherTypes(shape),
    ...otherValues(shape),
    ...otherObjects(shape, path),
    ...otherArrays(shape),
    ...otherStrings(shape),
    ...otherNumbers(shape),
  ]
  const known = alternatives.filter((each) => each !== undefined)
  if (known.length < alternatives.length) return undefined
  return known.map((each) => ({ ...ANY_SHAPE, path, ...each })).filter(({ types }) => types.size > 0)
}

/** An alternative; undefined if it cannot be expressed. */
type Alternative = Partial<Shape> | undefined

const only = (type: JsonType): ReadonlySet<JsonType> => new Set([type])

function otherTypes({ types }: Shape): Alternative[] {
  const others = JSON_TYPES.filter((type) => type !== 'integer' && !types.has(type))
  if (!types.has('integer')) return [{ types: new Set(others) }]
  const fractions: Alternative = { types: only('number'), isFractional: true }
  return [{ types: new Set(others.filter((type) => type !== 'number')) }, fractions]
}

/** Handles texts, booleans and null: listed numbers, arrays and objects have shapes of their own. */
function otherValues({ values, excluded }: Shape): Alternative[] {
  return [
    ...(values === undefined ? [] : [{ excluded: values }]),
    ...(excluded.length === 0 ? [] : [{ values: excluded }]),
  ]
}

function otherObjects(shape: Shape, path: string): Alternative[] {
  const { properties, patterned, additional, required, some, names, minProperties, maxProperties } = shape
  const all: Alternative[] = []
  const types = only('object')
  if (names !== ANYTHING || patterned.length > 0) all.push(undefined)
  if (additional !== ANYTHING) {
    const value = isNothing(additional) ? ANYTHING : notLocated(additional)
    all.push({ types, some: [{ names: [...properties.keys()], value, path }] })
  }
  for (const { names: listed, value } of some) {
    const rest = value === ANYTHING ? { schema: false, path } : notLocated(value)
    all.push({ types, properties: new Map(listed.map((name) => [name, ANYTHING])), additional: rest })
  }
  for (const name of required) {
    all.push({ types, properties: new Map([[name, { schema: false, path }]]) })
  }
  for (const [name, located] of properties) {
    if ('schema' in located && located.schema === true) continue
    all.push({ types, required: new Set([name]), properties: new Map([[name, notLocated(located)]]) })
  }
  if (minProperties > 0) all.push({ types, maxProperties: minProperties - 1 })
  if (maxProperties !== Number.POSITIVE_INFINITY) all.push({ types, minProperties: maxProperties + 1 })
  return all
}

/** Returns a schema that allows exactly what the located ones do not. */
function notLocated(located: Located): Located {
  if (!('all' in located)) return { schema: { not: located.schema }, path: inside(located.path, 'not') }
  const path = inside(writtenPath(pathOf(located)), `${keyOf(located)} not`)
  return { schema: { not: { allOf: located.all.flatMap(schemasIn) } }, path }
}

function schemasIn(located: Located): readonly unknown[] {
  return 'all' in located ? located.all.flatMap(schemasIn) : [located.schema]
}

function otherArrays({ prefix, items, minItems, maxItems }: Shape): Alternative[] {
  const types = only('array')
  return [
    ...(prefix.length > 0 || items !== ANYTHING ? [undefined] : []),
    ...(minItems > 0 ? [{ types, maxItems: minItems - 1 }] : []),
    ...(maxItems === Number.POSITIVE_INFINITY ? [] : [{ types, minItems: maxItems + 1 }]),
  ]
}

function otherStrings({ minLength, maxLength, patterns, notPatterns, formats }: Shape): Alternative[] {
  const types = only('string')
  return [
    // A format is enforced more narrowly than its standard, so its negation would allow too much.
    ...(formats.some(({ value }) => FORMATS.has(value)) ? [undefined] : []),
    ...patterns.map((pattern) => ({ types, notPatterns: [pattern] })),
    ...notPatterns.map((pattern) => ({ types, patterns: [pattern] })),
    ...(minLength > 0 ? [{ types, maxLength: minLength - 1 }] : []),
    ...(maxLength === Number.POSITIVE_INFINITY ? [] : [{ types, minLength: maxLength + 1 }]),
  ]
}

function otherNumbers({ low, high, isFractional, multiples }: Shape): Alternative[] {
  const types = only('number')
  const other = ({ value, path, isExclusive }: Bound): Bound => ({ value, path, isExclusive: !isExclusive })
  return [
    ...(multiples.length > 0 ? [undefined] : []),
    ...(isFractional ? [{ types: only('integer') }] : []),
    ...(Number.isFinite(low.value) ? [{ types, high: other(low) }] : []),
    ...(Number.isFinite(high.value) ? [{ types, low: other(high) }] : []),
  ]
}
