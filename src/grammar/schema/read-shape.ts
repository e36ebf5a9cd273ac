import type { UnsupportedSchema } from '../unsupported-schema.js'
import { below, isJsonObject, type JsonObject, refusal } from './keywords.js'
import type { Located } from './located.js'
import { ANY_SHAPE, ANYTHING, type Bound, JSON_TYPES, type JsonType, type Said, type Shape } from './shape.js'

/** So many properties an object may declare, as OpenAI has it. */
const MOST_PROPERTIES = 5_000
/** So many values, names or items a keyword may list. */
const LONGEST_LIST = 10_000

/** What a schema says itself, without its `$ref` and its combinations. */
export function readShape(schema: JsonObject, path: string): Shape {
  const read = createReader(schema, path)
  const values = read.values()
  return {
    ...ANY_SHAPE,
    path,
    types: read.types(),
    ...(values === undefined ? {} : { values }),
    ...objectShape(schema, path, read),
    ...arrayShape(read),
    minLength: read.count('minLength', 0),
    maxLength: read.count('maxLength', Number.POSITIVE_INFINITY),
    patterns: read.said('pattern', 'string'),
    formats: read.said('format', 'string'),
    ...numberShape(read),
  }
}

type Reader = ReturnType<typeof createReader>

function createReader(schema: JsonObject, path: string) {
  const get = (keyword: string): unknown => (Object.hasOwn(schema, keyword) ? schema[keyword] : undefined)

  function wrong(keyword: string, expected: string): UnsupportedSchema {
    return refusal(path, keyword, `The keyword '${keyword}' has to be ${expected}.`)
  }

  function list(keyword: string): readonly unknown[] {
    const value = get(keyword) ?? []
    if (!Array.isArray(value)) throw wrong(keyword, 'an array')
    if (value.length > LONGEST_LIST) throw wrong(keyword, `an array of at most ${LONGEST_LIST}`)
    return value
  }

  return {
    get,
    wrong,
    list,
    schemaAt(keyword: string, missing: Located): Located {
      const value = get(keyword)
      return value === undefined || value === true ? missing : { schema: value, path: below(path, keyword) }
    },
    schemas(keyword: string): Located[] {
      return list(keyword).map((each, index) => ({ schema: each, path: below(path, keyword, index) }))
    },
    object(keyword: string): JsonObject {
      const value = get(keyword) ?? {}
      if (!isJsonObject(value)) throw wrong(keyword, 'an object')
      return value
    },
    count(keyword: string, missing: number): number {
      const value = get(keyword)
      if (value === undefined) return missing
      if (!Number.isSafeInteger(value) || (value as number) < 0) throw wrong(keyword, 'a whole number of at least 0')
      return value as number
    },
    said<Kind extends 'string' | 'number'>(
      keyword: string,
      kind: Kind,
    ): Said<Kind extends 'string' ? string : number>[] {
      const value = get(keyword)
      if (value === undefined) return []
      if (typeof value !== kind) throw wrong(keyword, `a ${kind}`)
      return [{ value: value as never, path: below(path, keyword) }]
    },
    types(): ReadonlySet<JsonType> {
      const value = get('type')
      if (value === undefined) return ANY_SHAPE.types
      const names: readonly unknown[] = Array.isArray(value) ? value : [value]
      const isType = (name: unknown): name is JsonType => JSON_TYPES.some((type) => type === name)
      if (!names.every(isType)) throw wrong('type', 'a type of JSON, or a list of such')
      const types = new Set([...names, ...(get('nullable') === true ? (['null'] as const) : [])])
      if (types.has('number')) types.delete('integer')
      return types
    },
    values(): readonly unknown[] | undefined {
      const allowed = get('enum') === undefined ? undefined : list('enum')
      if (!Object.hasOwn(schema, 'const')) return allowed
      const only = JSON.stringify(schema['const'])
      return allowed === undefined || allowed.some((value) => JSON.stringify(value) === only) ? [schema['const']] : []
    },
  }
}

function objectShape(schema: JsonObject, path: string, read: Reader): Partial<Shape> {
  const properties = new Map<string, Located>()
  const declared = read.object('properties')
  if (Object.keys(declared).length > MOST_PROPERTIES) {
    throw refusal(path, 'properties', `More than ${MOST_PROPERTIES} are not supported.`)
  }
  for (const [name, property] of Object.entries(declared)) {
    properties.set(name, { schema: property, path: below(path, 'properties', name) })
  }
  const required = read.list('required')
  if (!required.every((name) => typeof name === 'string')) throw read.wrong('required', 'a list of names')
  const patterned = patternedNames(schema, path, read, properties)
  return {
    properties,
    required: new Set(required),
    additional: read.schemaAt('additionalProperties', ANYTHING),
    names: read.schemaAt('propertyNames', ANYTHING),
    ...patterned,
    minProperties: read.count('minProperties', 0),
    maxProperties: read.count('maxProperties', Number.POSITIVE_INFINITY),
  }
}

/** `patternProperties`, where all names have to match: then it says what the other names have to be. */
function patternedNames(
  schema: JsonObject,
  path: string,
  read: Reader,
  properties: ReadonlyMap<string, Located>,
): Partial<Shape> {
  const patterns = Object.entries(read.object('patternProperties'))
  const [first] = patterns
  if (first === undefined) return {}
  const isAlone = patterns.length === 1 && properties.size === 0 && schema['propertyNames'] === undefined
  if (!isAlone || schema['additionalProperties'] !== false) {
    const message = "'patternProperties' needs one pattern, no 'properties', and 'additionalProperties': false."
    throw refusal(path, 'patternProperties', message)
  }
  const at = below(path, 'patternProperties', first[0])
  return { additional: { schema: first[1], path: at }, names: { schema: { pattern: first[0] }, path: `${at}#` } }
}

function arrayShape(read: Reader): Partial<Shape> {
  // A list of `items` is what later drafts call `prefixItems`.
  const isTuple = Array.isArray(read.get('items'))
  return {
    prefix: read.schemas(isTuple ? 'items' : 'prefixItems'),
    items: read.schemaAt(isTuple ? 'additionalItems' : 'items', ANYTHING),
    minItems: read.count('minItems', 0),
    maxItems: read.count('maxItems', Number.POSITIVE_INFINITY),
  }
}

function numberShape(read: Reader): Partial<Shape> {
  return {
    low: boundOf(read, 'minimum', 'exclusiveMinimum', ANY_SHAPE.low, 1),
    high: boundOf(read, 'maximum', 'exclusiveMaximum', ANY_SHAPE.high, -1),
    multiples: read.said('multipleOf', 'number'),
  }
}

function boundOf(read: Reader, inside: string, outside: string, none: Bound, sign: 1 | -1): Bound {
  const [including] = read.said(inside, 'number').map((said) => ({ ...said, isOut: false }))
  const [excluding] = read.said(outside, 'number').map((said) => ({ ...said, isOut: true }))
  if (including === undefined || excluding === undefined) return including ?? excluding ?? none
  return sign * (excluding.value - including.value) >= 0 ? excluding : including
}
