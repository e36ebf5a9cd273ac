import { type Fields, isFields } from '../../../shared/fields.js'
import type { Slices } from '../../../shared/slices.js'
import { InvalidSchema } from '../unsupported-schema.js'
import { draftOf } from './draft.js'
import { below } from './keywords.js'
import type { Located } from './located.js'
import { absolute, NO_BASE, type References, type Resource, resolve } from './references.js'
import { isJsonType } from './types.js'

/** The number of schemas that are visited in one slice. */
const SLICE = 250

/** The place of a schema, not yet as text, since most are never written. */
interface Place {
  readonly within: Place | undefined
  readonly names: readonly (string | number)[]
  /** The base of its `$ref`s, and of the `$id`s inside. */
  readonly base: string
}

interface Found {
  readonly schema: unknown
  readonly place: Place
}

/** The schemas in a document. */
export interface CheckedSchema {
  readonly references: References
  /** Each after those that contain it, except for schemas in several places. */
  readonly schemas: ReadonlySet<Fields>
}

/**
 * Checks that a value is a JSON Schema of any draft, whether or not a grammar can enforce it: that its keywords have valid
 * values, its types exist, and its references point at schemas.
 *
 * @throws InvalidSchema with the path of the first keyword that is wrong
 */
export function* checkSchema(document: unknown): Slices<CheckedSchema> {
  const open: Found[] = [{ schema: document, place: { within: undefined, names: [], base: NO_BASE } }]
  const resources = new Map<string, Resource>()
  const seen = new Set<Fields>()
  const refs = new Map<Fields, Place>()
  const references = new Map<Fields, Located>()
  let looked = 0
  while (open.length > 0) {
    for (let found = open.pop(); found !== undefined; found = open.pop()) {
      if (++looked % SLICE === 0) yield
      const { schema } = found
      if (typeof schema === 'boolean') continue
      if (!isFields(schema)) throw new InvalidSchema(pathOf(found.place), 'A schema has to be an object or a boolean.')
      if (seen.has(schema)) continue
      seen.add(schema)
      const place = named(schema, found.place, resources)
      if (typeof schema['$ref'] === 'string') refs.set(schema, place)
      const before = open.length
      for (const keyword of Object.keys(schema)) {
        const wrong = KINDS.get(keyword)?.(schema[keyword])
        if (wrong !== undefined) {
          throw new InvalidSchema(below(pathOf(place), keyword), `The keyword '${keyword}' has to be ${wrong}.`)
        }
        addSubschemas(open, keyword, schema[keyword], place)
      }
      // Ordered so that the first mistake is named.
      reverseFrom(open, before)
    }
    for (const [schema, place] of refs) {
      if (references.has(schema)) continue
      if (++looked % SLICE === 0) yield
      const target = resolve(schema['$ref'] as string, place.base, below(pathOf(place), '$ref'), resources)
      references.set(schema, target)
      // Schemas under an unknown keyword were not visited yet.
      const names = ('path' in target ? target.path : '').split('/').slice(1).map(plainName)
      if ('schema' in target && isFields(target.schema) && !seen.has(target.schema)) {
        open.push({ schema: target.schema, place: { within: undefined, names, base: place.base } })
      }
    }
  }
  const isOld = draftOf(document) !== '2020-12'
  return {
    references: {
      get: (schema) => references.get(schema),
      isAlone: (schema) => references.has(schema) && (isOld || Object.keys(schema).length === 1),
    },
    schemas: seen,
  }
}

function plainName(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** Records the URLs that lead to a schema. Nested ones are relative to its own. */
function named(schema: Fields, place: Place, resources: Map<string, Resource>): Place {
  const { $id: id, $anchor: anchor } = schema
  const isRoot = resources.size === 0
  if (!isRoot && id === undefined && anchor === undefined) return place
  const url = typeof id === 'string' && (!id.startsWith('#') || isRoot) ? absolute(id, place.base) : undefined
  const base = url?.split('#')[0] ?? place.base
  if (!isRoot && url === undefined && typeof anchor !== 'string' && typeof id !== 'string') return place
  const resource = { schema, path: pathOf(place) }
  if (isRoot) resources.set(place.base, resource)
  if (url !== undefined) resources.set(base, resource)
  if (typeof anchor === 'string') resources.set(`${base}#${anchor}`, resource)
  // Earlier drafts name schemas that are no resources this way.
  else if (typeof id === 'string' && /^#\w/.test(id)) resources.set(`${place.base}${id}`, resource)
  return base === place.base ? place : { ...place, base }
}

function pathOf(place: Place): string {
  const names: (readonly (string | number)[])[] = []
  for (let at: Place | undefined = place; at !== undefined; at = at.within) names.push(at.names)
  let path = ''
  for (const own of names.reverse()) for (const name of own) path = below(path, name)
  return path
}

/** A check of a keyword's value: returns its expectation in words if it fails. */
type Kind = (value: unknown) => string | undefined

const is =
  (words: string, isRight: (value: unknown) => boolean): Kind =>
  (value) =>
    isRight(value) ? undefined : words
const isNumber = (value: unknown): boolean => typeof value === 'number'
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string')

const count = is('a whole number of at least 0', (value) => Number.isInteger(value) && (value as number) >= 0)
const number = is('a number', isNumber)
const text = is('a string', (value) => typeof value === 'string')
/** A number, or a boolean beside `minimum`, as in draft 4. */
const bound = is('a number', (value) => isNumber(value) || typeof value === 'boolean')
const schema = is('a schema', (value) => isFields(value) || typeof value === 'boolean')
const schemas = is('a list of schemas', (value) => Array.isArray(value) && value.length > 0)
const record = is('an object', isFields)
const list = is('an array', Array.isArray)
const types = is('a type of JSON, or a list of such', (value) =>
  Array.isArray(value) ? value.length > 0 && value.every(isJsonType) : isJsonType(value),
)

const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['type', types],
  ['enum', list],
  ['required', is('a list of names', isTexts)],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'].map(
    (name) => [name, count] as const,
  ),
  ...['minContains', 'maxContains'].map((name) => [name, count] as const),
  ...['minimum', 'maximum'].map((name) => [name, number] as const),
  ['multipleOf', is('a number above 0', (value) => isNumber(value) && (value as number) > 0)],
  ...['exclusiveMinimum', 'exclusiveMaximum'].map((name) => [name, bound] as const),
  ...['pattern', 'format', '$ref'].map((name) => [name, text] as const),
  ['uniqueItems', is('a boolean', (value) => typeof value === 'boolean')],
  [
    'dependentRequired',
    is('an object of lists of names', (value) => isFields(value) && Object.values(value).every(isTexts)),
  ],
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'].map(
    (name) => [name, record] as const,
  ),
  ...['allOf', 'anyOf', 'oneOf'].map((name) => [name, schemas] as const),
  ['prefixItems', list],
  ['items', is('a schema, or a list of schemas', (value) => Array.isArray(value) || schema(value) === undefined)],
  ...['additionalProperties', 'propertyNames', 'additionalItems', 'contains', 'not', 'if', 'then', 'else'].map(
    (name) => [name, schema] as const,
  ),
  ...['unevaluatedItems', 'unevaluatedProperties'].map((name) => [name, schema] as const),
])

/** The keywords that are checked, wherever they occur. */
export const CHECKED_KEYWORDS: ReadonlySet<string> = new Set(KINDS.keys())

/** Keywords whose values map names to schemas. */
export const MAPS: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'],
])
/** Keywords whose value may be a schema. */
export const SCHEMAS: ReadonlySet<string> = new Set([
  'items',
  ...Array.from(KINDS).flatMap(([keyword, kind]) => (kind === schema ? [keyword] : [])),
])
/** Keywords whose value may be a list of schemas. */
export const LISTS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'])

function addSubschemas(open: Found[], keyword: string, value: unknown, within: Place): void {
  const { base } = within
  if (MAPS.has(keyword)) {
    for (const name of Object.keys(value as Fields)) {
      const schema = (value as Fields)[name]
      // A list of names in `dependencies`.
      if (keyword === 'dependencies' && isTexts(schema)) continue
      open.push({ schema, place: { within, names: [keyword, name], base } })
    }
  } else if (LISTS.has(keyword) && Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      open.push({ schema: value[at], place: { within, names: [keyword, at], base } })
    }
  } else if (SCHEMAS.has(keyword)) open.push({ schema: value, place: { within, names: [keyword], base } })
}

/** In place: most schemas have parts, which would be copied twice. */
function reverseFrom<Value>(values: Value[], from: number): void {
  for (let low = from, high = values.length - 1; low < high; low++, high--) {
    const value = values[low] as Value
    values[low] = values[high] as Value
    values[high] = value
  }
}
