import { type Fields, isFields } from '../../../shared/fields.js'
import type { Slices } from '../../../shared/slices.js'
import { BadGrammar } from '../gbnf/bad-grammar.js'
import { UnsupportedSchema } from '../unsupported-schema.js'
import type { Budget } from './budget.js'
import { below } from './keywords.js'
import { ANYTHING, both, type Located } from './located.js'
import { type Patterned, patterned, valueByPatterns } from './patterned.js'
import type { Relax } from './relaxations.js'
import { ANY_SHAPE, type Bound, type Shape, type Sourced } from './shape.js'
import { typesOf } from './types.js'

/** The maximum number of declared properties of an object, as at OpenAI. */
const MAX_PROPERTIES = 5_000
/** The maximum number of values, names or items that a keyword may list. */
const MAX_LIST_LENGTH = 10_000
/** The maximum number of patterns, since each name is tried with each of them. */
const MAX_PATTERNS = 20

/**
 * Reads a schema's own constraints, without its `$ref` and its combinations, and without those of patterns on declared
 * properties. Its keywords have been checked.
 */
export function readShape(schema: Fields, path: string, relax: Relax): Shape {
  const read = new Reader(schema, path, relax)
  const keywords = Object.keys(schema)
  // Most schemas constrain only one type.
  const says = (known: ReadonlySet<string>): boolean => keywords.some((keyword) => known.has(keyword))
  const objects = says(OF_OBJECTS) ? objectShape(path, read) : ANY_SHAPE
  const arrays = says(OF_ARRAYS) ? arrayShape(read) : ANY_SHAPE
  const strings = says(OF_STRINGS) ? stringShape(read) : ANY_SHAPE
  const numbers = says(OF_NUMBERS) ? numberShape(read) : ANY_SHAPE
  // Written out without a spread, which takes many times as long.
  return {
    path,
    types: typesOf(schema) ?? ANY_SHAPE.types,
    values: read.values(),
    excluded: ANY_SHAPE.excluded,
    properties: objects.properties,
    patterned: objects.patterned,
    unenforceablePatterns: ANY_SHAPE.unenforceablePatterns,
    additional: objects.additional,
    required: objects.required,
    some: ANY_SHAPE.some,
    names: objects.names,
    prefix: arrays.prefix,
    items: arrays.items,
    minItems: arrays.minItems,
    maxItems: arrays.maxItems,
    minProperties: objects.minProperties,
    maxProperties: objects.maxProperties,
    minLength: strings.minLength,
    maxLength: strings.maxLength,
    patterns: strings.patterns,
    notPatterns: ANY_SHAPE.notPatterns,
    formats: strings.formats,
    low: numbers.low,
    high: numbers.high,
    isFractional: ANY_SHAPE.isFractional,
    multiples: numbers.multiples,
  }
}

const OF_OBJECTS: ReadonlySet<string> = new Set([
  ...['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames'],
  ...['minProperties', 'maxProperties'],
])
const OF_ARRAYS: ReadonlySet<string> = new Set(['items', 'prefixItems', 'additionalItems', 'minItems', 'maxItems'])
const OF_STRINGS: ReadonlySet<string> = new Set(['minLength', 'maxLength', 'pattern', 'format'])
const OF_NUMBERS: ReadonlySet<string> = new Set([
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
])

/** Returns the values that a schema lists. Undefined if it lists none. */
export function valuesIn(schema: Fields): readonly unknown[] | undefined {
  const allowed = Array.isArray(schema['enum']) ? (schema['enum'] as readonly unknown[]) : undefined
  if (!Object.hasOwn(schema, 'const')) return allowed
  const only = JSON.stringify(schema['const'])
  return allowed === undefined || allowed.some((value) => JSON.stringify(value) === only) ? [schema['const']] : []
}

/** Reads the keywords of a schema. */
class Reader {
  readonly #schema: Fields
  readonly #path: string
  readonly relax: Relax

  constructor(schema: Fields, path: string, relax: Relax) {
    this.#schema = schema
    this.#path = path
    this.relax = relax
  }

  get(keyword: string): unknown {
    return Object.hasOwn(this.#schema, keyword) ? this.#schema[keyword] : undefined
  }

  /** Ignores a list that is too long. */
  list(keyword: string): readonly unknown[] {
    const value = this.get(keyword) ?? []
    if (!Array.isArray(value)) return []
    if (value.length <= MAX_LIST_LENGTH) return value
    this.relax(below(this.#path, keyword), `More than ${MAX_LIST_LENGTH} cannot be enforced.`)
    return []
  }

  schemaAt(keyword: string, missing: Located): Located {
    const value = this.get(keyword)
    return value === undefined || value === true ? missing : { schema: value, path: below(this.#path, keyword) }
  }

  schemas(keyword: string): Located[] {
    return this.list(keyword).map((each, index) => ({ schema: each, path: below(this.#path, keyword, index) }))
  }

  object(keyword: string): Fields {
    const value = this.get(keyword)
    return isFields(value) ? value : {}
  }

  number(keyword: string, missing: number): number {
    return (this.get(keyword) as number | undefined) ?? missing
  }

  said<Value extends string | number>(keyword: string): readonly Sourced<Value>[] {
    const value = this.get(keyword)
    return value === undefined ? NOTHING : [{ value: value as Value, path: below(this.#path, keyword) }]
  }

  values(): readonly unknown[] | undefined {
    const listed = this.get('enum')
    const isTooLong = listed !== undefined && this.list('enum').length === 0 && !Object.hasOwn(this.#schema, 'const')
    return isTooLong && (listed as readonly unknown[]).length > 0 ? undefined : valuesIn(this.#schema)
  }
}

const NOTHING: readonly never[] = []

/** Adds what patterns say of declared properties. */
export function* withPatterns(shape: Shape, budget: Budget): Slices<Shape> {
  const { patterned: patterns } = shape
  if (patterns.length === 0) return shape
  const properties = new Map<string, Located>()
  for (const [name, own] of shape.properties) {
    const value = valueByPatterns(patterns, name)
    properties.set(name, value === undefined ? own : both(own, value))
    if (budget.isPauseDue(patterns.length)) yield
  }
  return { ...shape, properties }
}

type Of<Keys extends keyof Shape> = Pick<Shape, Keys>

function objectShape(
  path: string,
  read: Reader,
): Of<'properties' | 'required' | 'patterned' | 'additional' | 'names' | 'minProperties' | 'maxProperties'> {
  const properties = new Map<string, Located>()
  const declared = read.object('properties')
  const names = Object.keys(declared)
  const isTooMany = names.length > MAX_PROPERTIES
  // No name is then distinguished from others.
  if (isTooMany) read.relax(below(path, 'properties'), `More than ${MAX_PROPERTIES} cannot be enforced.`)
  if (!isTooMany) {
    const at = `${path}/properties`
    for (const name of names) properties.set(name, { schema: declared[name], path: below(at, name) })
  }
  const patterns = patternsIn(path, read)
  return {
    properties,
    required: new Set(isTooMany ? [] : (read.list('required') as readonly string[])),
    patterned: patterns ?? [],
    // Without the patterns, matching names are not distinguished from the others.
    additional: isTooMany || patterns === undefined ? ANYTHING : read.schemaAt('additionalProperties', ANYTHING),
    names: read.schemaAt('propertyNames', ANYTHING),
    minProperties: read.number('minProperties', 0),
    maxProperties: read.number('maxProperties', Number.POSITIVE_INFINITY),
  }
}

/** Returns undefined if a pattern cannot be enforced, or there are too many. */
function patternsIn(path: string, read: Reader): readonly Patterned[] | undefined {
  const at = below(path, 'patternProperties')
  const patterns = Object.entries(read.object('patternProperties'))
  if (patterns.length > MAX_PATTERNS) {
    read.relax(at, `More than ${MAX_PATTERNS} cannot be enforced.`)
    return undefined
  }
  try {
    return patterns.map(([source, schema]) => {
      const inner = below(path, 'patternProperties', source)
      return patterned(source, inner, { schema, path: inner })
    })
  } catch (error) {
    if (!(error instanceof UnsupportedSchema || error instanceof BadGrammar)) throw error
    read.relax(at, error.message)
    return undefined
  }
}

function arrayShape(read: Reader): Of<'prefix' | 'items' | 'minItems' | 'maxItems'> {
  // Later drafts call a list of `items` `prefixItems`.
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

function stringShape(read: Reader): Of<'minLength' | 'maxLength' | 'patterns' | 'formats'> {
  return {
    minLength: read.number('minLength', 0),
    maxLength: read.number('maxLength', Number.POSITIVE_INFINITY),
    patterns: read.said('pattern'),
    formats: read.said('format'),
  }
}

function numberShape(read: Reader): Of<'low' | 'high' | 'multiples'> {
  return {
    low: boundOf(read, 'minimum', 'exclusiveMinimum', ANY_SHAPE.low, 1),
    high: boundOf(read, 'maximum', 'exclusiveMaximum', ANY_SHAPE.high, -1),
    multiples: read.said<number>('multipleOf'),
  }
}

function boundOf(read: Reader, inside: string, outside: string, none: Bound, sign: 1 | -1): Bound {
  // In draft 4, a boolean beside a bound excludes it.
  const isExclusive = read.get(outside) === true
  const [including] = read.said<number>(inside).map((bound) => ({ ...bound, isExclusive }))
  const [excluding] = read.said<number>(outside).map((bound) => ({ ...bound, isExclusive: true }))
  if (including === undefined || excluding === undefined || typeof excluding.value === 'boolean') {
    return including ?? (typeof excluding?.value === 'number' ? excluding : none)
  }
  return sign * (excluding.value - including.value) >= 0 ? excluding : including
}
