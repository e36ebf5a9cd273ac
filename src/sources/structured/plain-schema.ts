import type { UnsupportedConstraint } from '../../engine/constraint.js'
import type { Fields } from '../../fields.js'

/** A schema without what it says beyond the forms that every grammar backend holds. */
export interface PlainSchema {
  readonly schema: Fields | boolean
  /** What was left out, and where. Empty if the schema is as it was given. */
  readonly leftOut: readonly UnsupportedConstraint[]
}

/** Keywords that say nothing of a value. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
  ...['$schema', '$id', '$comment', '$anchor', '$defs', 'definitions', 'contentMediaType', 'contentEncoding'],
])

/** Keywords that say something, of which a backend may know nothing. All others are unknown to JSON Schema too. */
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

/** What is held of a value of each type, beside `type`. */
const HELD: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties'],
  array: ['items', 'prefixItems', 'minItems', 'maxItems'],
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  boolean: [],
  null: [],
}

/** Held alone: beside a length or a pattern, xgrammar reads the format and ignores the rest. */
const FORMATS: readonly unknown[] = [
  ...['date', 'time', 'date-time', 'duration', 'uuid', 'ipv4', 'ipv6', 'email', 'hostname'],
]
const LOCAL = /^#\/(?:\$defs|definitions)\/[^/~%]+$/
/** Groups that look around or have names, backreferences, and classes by property: backends read them differently. */
const SUBTLE = /\(\?(?!:)|\\[bBpPk1-9]/

/**
 * What of a schema every backend holds, as xgrammar does: it takes any schema, and ignores what it does not know. Beside
 * `enum`, `const`, `anyOf` and `$ref` it ignores all else, a type included; names that are `required` and not among the
 * `properties`, too.
 *
 * Each form was tried in xgrammar 0.2.8, by bodies that it has to accept and to refuse.
 */
export function plainSchema(schema: Fields): PlainSchema {
  const leftOut: UnsupportedConstraint[] = []
  return { schema: plain(schema, '', leftOut), leftOut }
}

function plain(schema: unknown, path: string, leftOut: UnsupportedConstraint[]): Fields | boolean {
  const omit = (keyword: string): void => {
    const message = `The engine's grammar backend does not enforce '${keyword}' here.`
    leftOut.push({ path: `${path}/${keyword}`, message })
  }
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    if (schema === false) leftOut.push({ path, message: "The engine's grammar backend does not enforce 'false'." })
    return true
  }
  const fields = schema as Fields
  const isNullable = fields['nullable'] === true && 'type' in fields
  const types = [fields['type'] ?? impliedType(fields), ...(isNullable ? ['null'] : [])].flat()
  const said = Object.keys(fields).filter((keyword) => ASSERTIONS.has(keyword))
  const kept = new Map<string, unknown>(Object.entries(fields).filter(([keyword]) => ANNOTATIONS.has(keyword)))
  for (const name of ['$defs', 'definitions']) {
    const definitions = fields[name]
    if (typeof definitions === 'object' && definitions !== null) kept.set(name, each(definitions, `${path}/${name}`))
  }

  function each(schemas: object, at: string): Fields {
    return Object.fromEntries(
      Object.entries(schemas).map(([name, inner]) => [name, plain(inner, `${at}/${pointer(name)}`, leftOut)]),
    )
  }

  function keep(held: (keyword: string) => boolean): void {
    for (const keyword of said) {
      // It is said by the list of types.
      if (keyword === 'nullable' && (isNullable || fields['nullable'] !== true)) continue
      if (held(keyword)) kept.set(keyword, keyword === 'type' && isNullable ? types : inner(keyword))
      else omit(keyword)
    }
  }

  function inner(keyword: string): unknown {
    const value = fields[keyword]
    const at = `${path}/${keyword}`
    if (keyword === 'properties') return each(Object(value), at)
    if (keyword === 'anyOf' || keyword === 'prefixItems') {
      return (value as readonly unknown[]).map((one, index) => plain(one, `${at}/${index}`, leftOut))
    }
    const isSchema = keyword === 'items' || keyword === 'additionalProperties'
    return isSchema && value !== false ? plain(value, at, leftOut) : value
  }

  if ('$ref' in fields) keep((keyword) => keyword === '$ref' && LOCAL.test(String(fields['$ref'])))
  else if ('const' in fields) keep((keyword) => keyword === 'const' || isTypeOf([fields['const']], keyword, types))
  else if (Array.isArray(fields['enum'])) {
    const values = fields['enum']
    keep((keyword) => keyword === 'enum' || isTypeOf(values, keyword, types))
  } else if ('anyOf' in fields && types[0] === undefined) keep((keyword) => keyword === 'anyOf')
  else {
    const held = new Set(types.flatMap((type) => HELD[String(type)] ?? []))
    keep((keyword) =>
      keyword === 'type' ? types.every((type) => String(type) in HELD) : isHeld(keyword, held, fields),
    )
  }
  return Object.fromEntries(kept)
}

/** The type of a schema that names none: xgrammar takes one with properties for an object, one with items for an array. */
function impliedType(fields: Fields): string | undefined {
  if ('properties' in fields) return 'object'
  return 'items' in fields || 'prefixItems' in fields ? 'array' : undefined
}

function isHeld(keyword: string, held: ReadonlySet<string>, fields: Fields): boolean {
  if (!held.has(keyword)) return false
  const value = fields[keyword]
  const isBesides = (...others: readonly string[]): boolean => others.some((other) => other in fields)
  switch (keyword) {
    case 'required':
      return (value as readonly string[]).every((name) => Object.hasOwn(Object(fields['properties']), name))
    case 'items':
      return !Array.isArray(value)
    case 'format':
      return FORMATS.includes(value) && !isBesides('pattern', 'minLength', 'maxLength')
    case 'pattern':
      return !SUBTLE.test(String(value)) && !isBesides('minLength', 'maxLength')
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return typeof value === 'number'
    default:
      return true
  }
}

/** Whether a keyword is the type that all of these values have. */
function isTypeOf(values: readonly unknown[], keyword: string, types: readonly unknown[]): boolean {
  return keyword === 'type' && values.every((value) => types.some((type) => isOfType(value, type)))
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

function pointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
