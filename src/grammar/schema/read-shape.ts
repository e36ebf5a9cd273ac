import { below, isJsonObject, type JsonObject } from './keywords.js'
import { inside, type Located } from './located.js'
import type { Relax } from './relaxations.js'
import { ANY_SHAPE, ANYTHING, type Bound, type Said, type Shape } from './shape.js'
import { typesOf } from './types.js'

/** So many properties an object may declare, as OpenAI has it. */
const MOST_PROPERTIES = 5_000
/** So many values, names or items a keyword may list. */
const LONGEST_LIST = 10_000

/** What a schema says itself, without its `$ref` and its combinations. Its keywords have been checked. */
export function readShape(schema: JsonObject, path: string, relax: Relax): Shape {
  const read = createReader(schema, path, relax)
  const values = read.values()
  return {
    ...ANY_SHAPE,
    path,
    types: typesOf(schema) ?? ANY_SHAPE.types,
    ...(values === undefined ? {} : { values }),
    ...objectShape(path, read),
    ...arrayShape(read),
    minLength: read.number('minLength', 0),
    maxLength: read.number('maxLength', Number.POSITIVE_INFINITY),
    patterns: read.said('pattern'),
    formats: read.said('format'),
    ...numberShape(read),
  }
}

/** The values that a schema lists. Undefined if it lists none. */
export function valuesIn(schema: JsonObject): readonly unknown[] | undefined {
  const allowed = Array.isArray(schema['enum']) ? (schema['enum'] as readonly unknown[]) : undefined
  if (!Object.hasOwn(schema, 'const')) return allowed
  const only = JSON.stringify(schema['const'])
  return allowed === undefined || allowed.some((value) => JSON.stringify(value) === only) ? [schema['const']] : []
}

type Reader = ReturnType<typeof createReader>

function createReader(schema: JsonObject, path: string, relax: Relax) {
  const get = (keyword: string): unknown => (Object.hasOwn(schema, keyword) ? schema[keyword] : undefined)

  /** Nothing of a list that is too long. */
  function list(keyword: string): readonly unknown[] {
    const value = get(keyword) ?? []
    if (!Array.isArray(value)) return []
    if (value.length <= LONGEST_LIST) return value
    relax(below(path, keyword), `More than ${LONGEST_LIST} cannot be enforced.`)
    return []
  }

  return {
    get,
    relax,
    list,
    schemaAt(keyword: string, missing: Located): Located {
      const value = get(keyword)
      return value === undefined || value === true ? missing : { schema: value, path: below(path, keyword) }
    },
    schemas(keyword: string): Located[] {
      return list(keyword).map((each, index) => ({ schema: each, path: below(path, keyword, index) }))
    },
    object(keyword: string): JsonObject {
      const value = get(keyword)
      return isJsonObject(value) ? value : {}
    },
    number(keyword: string, missing: number): number {
      return (get(keyword) as number | undefined) ?? missing
    },
    said<Value extends string | number>(keyword: string): Said<Value>[] {
      const value = get(keyword)
      return value === undefined ? [] : [{ value: value as Value, path: below(path, keyword) }]
    },
    values(): readonly unknown[] | undefined {
      const isTooLong = get('enum') !== undefined && list('enum').length === 0 && !Object.hasOwn(schema, 'const')
      return isTooLong && (get('enum') as readonly unknown[]).length > 0 ? undefined : valuesIn(schema)
    },
  }
}

function objectShape(path: string, read: Reader): Partial<Shape> {
  const properties = new Map<string, Located>()
  const declared = Object.entries(read.object('properties'))
  const isTooMany = declared.length > MOST_PROPERTIES
  // Then none is told from others.
  if (isTooMany) read.relax(below(path, 'properties'), `More than ${MOST_PROPERTIES} cannot be enforced.`)
  for (const [name, property] of isTooMany ? [] : declared) {
    properties.set(name, { schema: property, path: below(path, 'properties', name) })
  }
  const patterned = patternedNames(path, read, properties)
  return {
    properties,
    required: new Set(isTooMany ? [] : (read.list('required') as readonly string[])),
    additional: isTooMany ? ANYTHING : read.schemaAt('additionalProperties', ANYTHING),
    names: read.schemaAt('propertyNames', ANYTHING),
    ...patterned,
    minProperties: read.number('minProperties', 0),
    maxProperties: read.number('maxProperties', Number.POSITIVE_INFINITY),
  }
}

/** `patternProperties`, where all names have to match: then it says what the other names have to be. */
function patternedNames(path: string, read: Reader, properties: ReadonlyMap<string, Located>): Partial<Shape> {
  const patterns = Object.entries(read.object('patternProperties'))
  const [first] = patterns
  if (first === undefined) return {}
  const isAlone = patterns.length === 1 && properties.size === 0 && read.get('propertyNames') === undefined
  if (!isAlone || read.get('additionalProperties') !== false) {
    const message = "'patternProperties' needs one pattern, no 'properties', and 'additionalProperties': false."
    read.relax(below(path, 'patternProperties'), message)
    // Names that match are none of them.
    return { additional: ANYTHING }
  }
  const at = below(path, 'patternProperties', first[0])
  return {
    additional: { schema: first[1], path: at },
    names: { schema: { pattern: first[0] }, path: inside(at, 'name') },
  }
}

function arrayShape(read: Reader): Partial<Shape> {
  // A list of `items` is what later drafts call `prefixItems`.
  const isTuple = Array.isArray(read.get('items'))
  const keyword = isTuple ? 'items' : 'prefixItems'
  const prefix = read.schemas(keyword)
  const rest = read.schemaAt(isTuple ? 'additionalItems' : 'items', ANYTHING)
  const isTooLong = prefix.length < ((read.get(keyword) as readonly unknown[] | undefined) ?? []).length
  return {
    prefix,
    items: isTooLong ? ANYTHING : rest,
    minItems: read.number('minItems', 0),
    maxItems: read.number('maxItems', Number.POSITIVE_INFINITY),
  }
}

function numberShape(read: Reader): Partial<Shape> {
  return {
    low: boundOf(read, 'minimum', 'exclusiveMinimum', ANY_SHAPE.low, 1),
    high: boundOf(read, 'maximum', 'exclusiveMaximum', ANY_SHAPE.high, -1),
    multiples: read.said<number>('multipleOf'),
  }
}

function boundOf(read: Reader, inside: string, outside: string, none: Bound, sign: 1 | -1): Bound {
  // Draft 4 says beside a bound whether it is out.
  const isOut = read.get(outside) === true
  const [including] = read.said<number>(inside).map((said) => ({ ...said, isOut }))
  const [excluding] = read.said<number>(outside).map((said) => ({ ...said, isOut: true }))
  if (including === undefined || excluding === undefined || typeof excluding.value === 'boolean') {
    return including ?? (typeof excluding?.value === 'number' ? excluding : none)
  }
  return sign * (excluding.value - including.value) >= 0 ? excluding : including
}
