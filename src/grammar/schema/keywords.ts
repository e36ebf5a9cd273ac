import { UnsupportedSchema } from '../unsupported-schema.js'

/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Keywords that say something of every text, and that the grammar holds. */
const HELD: ReadonlySet<string> = new Set([
  ...['type', 'enum', 'const', 'nullable', '$ref', 'allOf', 'anyOf', 'oneOf'],
  ...['properties', 'required', 'additionalProperties', 'propertyNames', 'patternProperties'],
  ...['minProperties', 'maxProperties', 'items', 'prefixItems', 'additionalItems', 'minItems', 'maxItems'],
  ...['minLength', 'maxLength', 'pattern', 'format'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
])

/** Keywords that no grammar of ours holds, unless they say nothing: then this is true. */
const REFUSED: ReadonlyMap<string, (value: unknown) => boolean> = new Map<string, (value: unknown) => boolean>([
  ['not', (value) => value === false],
  ['if', (value) => value === true],
  ['then', () => true],
  ['else', () => true],
  ['contains', () => false],
  ['minContains', () => true],
  ['maxContains', () => true],
  ['uniqueItems', (value) => value === false],
  ['dependentRequired', isEmptyObject],
  ['dependentSchemas', isEmptyObject],
  ['dependencies', isEmptyObject],
  ['unevaluatedItems', (value) => value === true],
  ['unevaluatedProperties', (value) => value === true],
  ['$dynamicRef', () => false],
  ['$recursiveRef', () => false],
])

/** Refuses a schema for a keyword that the grammar cannot hold. All that JSON Schema does not know is an annotation. */
export function checkKeywords(schema: JsonObject, path: string): void {
  for (const keyword of Object.keys(schema)) {
    if (HELD.has(keyword)) continue
    // Beside an `if` only, which is refused itself.
    const saysNothing = REFUSED.get(keyword)?.(schema[keyword]) ?? true
    if (!saysNothing) throw refusal(path, keyword, `The keyword '${keyword}' cannot be enforced.`)
    if (keyword === '$id' && path !== '') throw refusal(path, keyword, "An '$id' inside of a schema is not supported.")
  }
}

export function refusal(path: string, keyword: string, message: string): UnsupportedSchema {
  return new UnsupportedSchema(below(path, keyword), message)
}

/** The pointer of what a schema has under a name. */
export function below(path: string, ...names: readonly (string | number)[]): string {
  return [path, ...names.map((name) => String(name).replaceAll('~', '~0').replaceAll('/', '~1'))].join('/')
}

function isEmptyObject(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0
}
