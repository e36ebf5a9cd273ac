import { type Fields, isFields } from '../../../shared/fields.js'
import type { Slices } from '../../../shared/slices.js'
import { CHECKED_KEYWORDS, LISTS, MAPS, SCHEMAS } from './check-schema.js'
import { UNENFORCED } from './keywords.js'
import { keyOf, type Located } from './located.js'
import type { References } from './references.js'

/** The number of schemas that are visited in one slice. */
const SLICE = 200

/** A number for each schema of a document: equivalent schemas have the same one. */
export type Alike = ReadonlyMap<Fields, number>

/** Keywords that mean something and may have any value: `nullable` is OpenAPI's. */
const BESIDES: ReadonlySet<string> = new Set(['const', 'nullable'])

/** The maximum number of rounds that an object in several places may wait for its content. */
const MAX_ROUNDS = 10

/**
 * Assigns no number to a schema that contains itself, or a value that is too deep to be written as JSON. Neither comes
 * from a JSON text of a client.
 *
 * @param schemas - each after those that contain it, except for objects in several places
 */
export function* alikeIn(schemas: ReadonlySet<Fields>, references: References): Slices<Alike> {
  const numbers = new Map<Fields, number>()
  const byText = new Map<string, number>()
  let open = [...schemas].reverse()
  for (let round = 0; open.length > 0; round++) {
    if (round === MAX_ROUNDS) return new Map()
    const waiting: Fields[] = []
    for (const [index, schema] of open.entries()) {
      if (index % SLICE === SLICE - 1) yield
      const text = textOf(schema, references, numbers)
      if (text === undefined) {
        waiting.push(schema)
        continue
      }
      const number = byText.get(text) ?? byText.size
      byText.set(text, number)
      numbers.set(schema, number)
    }
    open = waiting
  }
  return numbers
}

/**
 * Returns a text for the meaning of a schema, with numbers in place of the schemas inside. Undefined if one is not
 * numbered yet.
 */
function textOf(schema: Fields, references: References, numbers: Alike): string | undefined {
  try {
    let text = ''
    for (const keyword of Object.keys(schema)) {
      const value = schema[keyword]
      if (keyword === '$ref') text += `$ref ${JSON.stringify(keyOf(references.get(schema) as Located))}\n`
      else if (isMeant(keyword)) text += `${keyword} ${valueText(keyword, value, numbers)}\n`
      // Quoted, because a name with a line break would read like several keywords. Annotations mean nothing, unless they are
      // lists or objects: a `$ref` may point into them.
      else if (typeof value === 'object') text += `${JSON.stringify(keyword)} ${JSON.stringify(value)}\n`
    }
    return text
  } catch {
    return undefined
  }
}

function isMeant(keyword: string): boolean {
  return CHECKED_KEYWORDS.has(keyword) || UNENFORCED.has(keyword) || BESIDES.has(keyword)
}

function valueText(keyword: string, value: unknown, numbers: Alike): string {
  // Types are the values of most keywords.
  if (keyword === 'type' && typeof value === 'string') return value
  if (MAPS.has(keyword)) {
    let text = ''
    for (const name of Object.keys(value as Fields)) {
      text += JSON.stringify(name) + partText((value as Fields)[name], numbers)
    }
    return text
  }
  if (LISTS.has(keyword) && Array.isArray(value)) {
    let text = ''
    for (const inner of value) text += `${partText(inner, numbers)},`
    return text
  }
  return SCHEMAS.has(keyword) ? partText(value, numbers) : JSON.stringify(value)
}

function partText(inner: unknown, numbers: Alike): string {
  if (!isFields(inner)) return JSON.stringify(inner)
  const number = numbers.get(inner)
  if (number === undefined) throw new Error('The schema has no number yet.')
  return String(number)
}
