import type { Slices } from '../../slices.js'
import { CHECKED_KEYWORDS, LISTS, MAPS, SCHEMAS } from './check-schema.js'
import { isJsonObject, type JsonObject, UNHELD } from './keywords.js'
import { keyOf, type Located } from './located.js'
import type { References } from './references.js'

/** So many schemas are looked at in one piece. */
const SLICE = 500

/** A number for each schema of a document: those that say the same of values have the same one. */
export type Alike = ReadonlyMap<JsonObject, number>

/**
 * Numbers no schema where one object stands in several places, which may be in itself, or one has a value that is too deep
 * to be written as JSON. Neither comes from a JSON text of a client's.
 *
 * @param schemas - each after those that it stands in
 */
export function* alikeIn(schemas: ReadonlySet<JsonObject>, references: References): Slices<Alike> {
  const numbers = new Map<JsonObject, number>()
  const byText = new Map<string, number>()
  for (const schema of [...schemas].reverse()) {
    if (numbers.size % SLICE === SLICE - 1) yield
    const text = textOf(schema, references, numbers)
    if (text === undefined) return new Map()
    const number = byText.get(text) ?? byText.size
    byText.set(text, number)
    numbers.set(schema, number)
  }
  return numbers
}

/** What a schema says of values, with numbers in the place of the schemas inside. Undefined if that cannot be said. */
function textOf(schema: JsonObject, references: References, numbers: Alike): string | undefined {
  try {
    let text = ''
    for (const keyword of Object.keys(schema)) {
      const value = schema[keyword]
      if (keyword === '$ref') text += `$ref ${keyOf(references.get(schema) as Located)}\n`
      else if (saysSomething(keyword, value)) text += `${keyword} ${valueText(keyword, value, numbers)}\n`
    }
    return text
  } catch {
    return undefined
  }
}

/** An annotation says nothing, unless it is a list or an object: a `$ref` may point into it. */
function saysSomething(keyword: string, value: unknown): boolean {
  return CHECKED_KEYWORDS.has(keyword) || UNHELD.has(keyword) || keyword === 'const' || typeof value === 'object'
}

function valueText(keyword: string, value: unknown, numbers: Alike): string {
  const part = (inner: unknown): string => {
    if (!isJsonObject(inner)) return JSON.stringify(inner)
    const number = numbers.get(inner)
    if (number === undefined) throw new Error('The schema stands in several places.')
    return `${number}`
  }
  if (MAPS.has(keyword)) {
    const named = Object.entries(value as JsonObject).map(([name, inner]) => `${JSON.stringify(name)}${part(inner)}`)
    return named.join('')
  }
  if (LISTS.has(keyword) && Array.isArray(value)) return value.map(part).join()
  return SCHEMAS.has(keyword) ? part(value) : JSON.stringify(value)
}
