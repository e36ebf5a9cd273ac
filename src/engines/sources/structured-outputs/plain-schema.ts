import { type Fields, isFields } from '../../../shared/fields.js'
import { createWork, type Slices, type Work } from '../../../shared/slices.js'
import type { UnsupportedConstraint } from '../../contract/constraint.js'
import { below } from '../../grammar/index.js'
import {
  asOthersTake,
  type Counted,
  createCounted,
  createRefs,
  enforcedByOthers,
  hasNoEffect,
  type Refs,
} from './other-schema.js'
import { isReadByXgrammar, MAX_PATTERN, readingOf } from './xgrammar-schema.js'

/** A schema reduced to the forms that every grammar backend enforces. */
export interface PlainSchema {
  readonly schema: Fields
  /** The dropped or partially enforced parts, with their places. Empty if the whole schema is enforced. */
  readonly leftOut: readonly UnsupportedConstraint[]
  /** Those that are enforced in part. */
  readonly inPart: readonly UnsupportedConstraint[]
  /** Whether xgrammar refuses some of what it allows: texts with characters that JSON escapes. */
  readonly isNarrow: boolean
}

/** Keywords without effect on a value. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
  ...['$schema', '$id', '$comment', '$anchor', 'contentMediaType', 'contentEncoding'],
])

/** Keywords with an effect that a backend may ignore. All others are unknown to JSON Schema too. */
const ASSERTIONS: ReadonlySet<string> = new Set([
  ...[
    '$ref',
    '$dynamicRef',
    'type',
    'nullable',
    'const',
    'enum',
    'anyOf',
    'allOf',
    'oneOf',
    'not',
    'if',
    'then',
    'else',
  ],
  ...['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames', 'minProperties'],
  ...['maxProperties', 'dependentRequired', 'dependentSchemas', 'dependencies', 'unevaluatedProperties'],
  ...['items', 'prefixItems', 'additionalItems', 'minItems', 'maxItems', 'uniqueItems', 'contains', 'minContains'],
  ...['maxContains', 'unevaluatedItems', 'minLength', 'maxLength', 'pattern', 'format', 'minimum', 'maximum'],
  ...['exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
])

/** The keywords that are enforced for a value of each type, beside `type`. */
const ENFORCED: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['object', ['properties', 'required', 'additionalProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems']],
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']],
  ['integer', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']],
  ['boolean', []],
  ['null', []],
])

/** Enforcement only without other keywords: beside a length or a pattern, xgrammar reads the format and ignores the rest. */
const FORMATS: readonly unknown[] = ['uuid', 'ipv6']
/**
 * Enforcement only without other keywords, and in part: xgrammar accepts 30 February, a second of 60 at any time, 01.2.3.4,
 * and names and numbers of any length. They are still sent, since a partial constraint is better than none.
 */
const LOOSE_FORMATS: readonly unknown[] = ['date', 'time', 'date-time', 'duration', 'ipv4', 'email', 'hostname']

/**
 * The backend whose keywords are kept: xgrammar, or those that outlines, lm-format-enforcer and xgrammar all enforce.
 */
export type PlainFor = 'xgrammar' | 'other'

/** The number of schemas that are read in a few milliseconds. */
const SLICE = 2_000
const LOCAL = /^#\/(?:\$defs|definitions)\/[^/~%]+$/
/** Lookaround, named groups, backreferences and classes by property, which backends read differently. */
const SUBTLE = /\(\?(?!:)|\\[bBpPk1-9]/

/** A walk through one schema. */
interface Walk {
  readonly backend: PlainFor
  readonly leftOut: UnsupportedConstraint[]
  readonly inPart: UnsupportedConstraint[]
  /** The kept patterns that xgrammar enforces, and refuses some texts of. */
  readonly narrow: string[]
  readonly work: Work
  /** For backends other than xgrammar. */
  readonly counted: Counted
  readonly refs: Refs | undefined
}

/**
 * Returns the part of a schema that a backend enforces. xgrammar accepts any schema, and ignores unknown keywords:
 * beside `enum`, `const`, `anyOf` and `$ref` it ignores all others, including a type; it also ignores `required` names
 * that are not in `properties`. Other backends enforce less.
 *
 * Each form was tried in xgrammar 0.2.8, and in outlines_core 0.1.26 and 0.2.14, by bodies that it has to accept and to
 * refuse.
 *
 * @param schema - one that `checkSchema` takes
 */
export function* plainSchema(schema: Fields, backend: PlainFor): Slices<PlainSchema> {
  const work = createWork(SLICE)
  const refs = backend === 'other' ? yield* createRefs(schema, work) : undefined
  const walk: Walk = { backend, leftOut: [], inPart: [], narrow: [], work, counted: createCounted(), refs }
  // The reduced form of an object is an object.
  const left = (yield* plain(schema, '', walk)) as Fields
  return { schema: left, leftOut: walk.leftOut, inPart: walk.inPart, isNarrow: walk.narrow.length > 0 }
}

function* plain(schema: unknown, path: string, walk: Walk): Slices<Fields | boolean> {
  // To read a character of a pattern may take as long as to read a schema without one.
  walk.work.left -= 1 + Math.min(String(Object(schema).pattern ?? '').length, MAX_PATTERN)
  if (walk.work.left <= 0) yield* walk.work.pause()
  if (!isFields(schema)) {
    if (schema === false) omit(path, 'false', walk)
    return walk.backend === 'other' ? asOthersTake({}, ENFORCED) : true
  }
  const { isEnforced, isNeeded, inside } = enforcedIn(schema, path, walk)
  const kept: [string, unknown][] = []
  for (const [keyword, value] of Object.entries(schema)) {
    if (!isNeeded(keyword)) continue
    const at = below(path, keyword)
    // Unknown keywords mean nothing, and `nullable` is in the list of types.
    if (ANNOTATIONS.has(keyword)) kept.push([keyword, value])
    else if (keyword === '$defs' || keyword === 'definitions')
      kept.push([keyword, yield* eachSchema(keyword, value, at, (one, place) => plain(one, place, walk))])
    else if (!ASSERTIONS.has(keyword) || keyword === 'nullable') continue
    else if (!isEnforced(keyword)) omit(at, keyword, walk)
    else if (keyword === 'type') kept.push([keyword, namedTypes(schema)])
    else {
      if (keyword === 'pattern' && readingOf(String(value)) === 'narrow') walk.narrow.push(at)
      kept.push([keyword, yield* eachSchema(keyword, value, at, (one, place) => plain(one, place, inside))])
      const message = enforcedPart(keyword, schema, walk.backend)
      if (message === undefined) continue
      const reason = { path: at, message }
      walk.leftOut.push(reason)
      walk.inPart.push(reason)
    }
  }
  const reduced = Object.fromEntries(kept)
  return walk.backend === 'other' ? asOthersTake(reduced, ENFORCED) : reduced
}

function omit(path: string, keyword: string, { leftOut }: Walk): void {
  leftOut.push(notEnforced(path, keyword))
}

/** Names the part of a keyword that is enforced; undefined if all of it is. */
function enforcedPart(keyword: string, schema: Fields, backend: PlainFor): string | undefined {
  const value = schema[keyword]
  if (keyword === 'format' && LOOSE_FORMATS.includes(value)) {
    return `The engine's grammar backend enforces a part of the format '${value}'.`
  }
  if (keyword === 'properties' && backend === 'xgrammar' && isOpen(schema)) {
    return `The engine's grammar backend enforces '${keyword}' here only for names without escapes.`
  }
  return undefined
}

/**
 * Whether an object may have other properties than those it names. xgrammar then accepts `"\u0061"` as the name of another
 * one, though it is the declared `a`, whose schema its value need not match.
 */
function isOpen({ properties, additionalProperties = false }: Fields): boolean {
  return additionalProperties !== false && Object.keys(Object(properties)).length > 0
}

/** Names a keyword that a backend is not sent. */
export function notEnforced(path: string, keyword: string): UnsupportedConstraint {
  return { path, message: `The engine's grammar backend does not enforce '${keyword}' here.` }
}

/** Reads each schema of a keyword that is kept, and returns the results in its form; any other value as it is. */
export function* eachSchema(
  keyword: string,
  value: unknown,
  path: string,
  read: (schema: unknown, path: string) => Slices<unknown>,
): Slices<unknown> {
  switch (keyword) {
    case '$defs':
    case 'definitions':
    case 'properties': {
      const named: [string, unknown][] = []
      for (const [name, one] of Object.entries(value as Fields)) named.push([name, yield* read(one, below(path, name))])
      return Object.fromEntries(named)
    }
    case 'anyOf':
    case 'prefixItems': {
      const list: unknown[] = []
      for (const [index, one] of (value as readonly unknown[]).entries()) {
        list.push(yield* read(one, below(path, index)))
      }
      return list
    }
    case 'items':
    case 'additionalProperties':
      return value === false ? value : yield* read(value, path)
    default:
      return value
  }
}

/** How a schema's keywords are read, beside its others. */
interface Enforcement {
  readonly isEnforced: (keyword: string) => boolean
  /** Whether a keyword is sent or named: one without an effect may be refused. */
  readonly isNeeded: (keyword: string) => boolean
  /** For the schemas in it. */
  readonly inside: Walk
}

function enforcedIn(schema: Fields, path: string, walk: Walk): Enforcement {
  const isEnforced = enforcedByXgrammar(schema)
  const { refs } = walk
  if (refs === undefined) {
    const types = [namedTypes(schema)].flat()
    return {
      isEnforced: (keyword) => isEnforced(keyword) && isReadByXgrammar(keyword, schema, types),
      ...{ isNeeded: () => true, inside: walk },
    }
  }
  const { enforces, counted } = enforcedByOthers(schema, walk.counted, () => refs.follows(path, String(schema['$ref'])))
  const isListed = 'enum' in schema || 'const' in schema
  return {
    isEnforced: (keyword) => isEnforced(keyword) && enforces(keyword),
    isNeeded: (keyword) =>
      !ANNOTATIONS.has(keyword) &&
      !hasNoEffect(keyword, schema) &&
      !(isListed && keyword === 'type' && isEnforced(keyword)),
    inside: { ...walk, counted },
  }
}

function enforcedByXgrammar(schema: Fields): (keyword: string) => boolean {
  const { $ref, enum: listed } = schema
  if ($ref !== undefined) return (keyword) => keyword === '$ref' && LOCAL.test(String($ref))
  const types = [namedTypes(schema) ?? impliedType(schema)].flat()
  const values = 'const' in schema ? [schema['const']] : listed
  if (Array.isArray(values)) {
    const isTyped = values.every((value) => types.some((type) => isOfType(value, type)))
    const which = 'const' in schema ? 'const' : 'enum'
    return (keyword) => keyword === which || (keyword === 'type' && isTyped)
  }
  if ('anyOf' in schema && types[0] === undefined) return (keyword) => keyword === 'anyOf'
  const enforced = new Set(types.flatMap((type) => ENFORCED.get(type) ?? []))
  return (keyword) =>
    keyword === 'type'
      ? types.every((type) => ENFORCED.has(type))
      : enforced.has(keyword) && isEnforcedHere(keyword, schema)
}

/** Returns the types that a schema names, including OpenAPI's `nullable`. */
function namedTypes({ type, nullable }: Fields): unknown {
  return type === undefined || nullable !== true ? type : [...new Set([type, 'null'].flat())]
}

/**
 * Returns the implied type of a schema that names none: xgrammar takes one with properties for an object, one with
 * items for an array.
 */
function impliedType(schema: Fields): string | undefined {
  if ('properties' in schema) return 'object'
  return 'items' in schema || 'prefixItems' in schema ? 'array' : undefined
}

/** Whether a keyword of the type is enforced with its value here. */
function isEnforcedHere(keyword: string, schema: Fields): boolean {
  const value = schema[keyword]
  const hasAny = (...others: readonly string[]): boolean => others.some((other) => other in schema)
  switch (keyword) {
    case 'required':
      return (value as readonly string[]).every((name) => Object.hasOwn(Object(schema['properties']), name))
    case 'items':
      return !Array.isArray(value)
    case 'format':
      return (FORMATS.includes(value) || LOOSE_FORMATS.includes(value)) && !hasAny('pattern', 'minLength', 'maxLength')
    case 'pattern':
      return !SUBTLE.test(String(value)) && !hasAny('minLength', 'maxLength')
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return typeof value === 'number'
    default:
      return true
  }
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isFields(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}
