import type { Relax } from './relaxations.js'

/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Keywords that no grammar of ours holds, unless they say nothing beside the others: then this is true. */
export const UNHELD: ReadonlyMap<string, (value: unknown, schema: JsonObject) => boolean> = new Map<
  string,
  (value: unknown, schema: JsonObject) => boolean
>([
  ['contains', (_value, { minContains, maxContains }) => minContains === 0 && maxContains === undefined],
  ['uniqueItems', (value) => value === false],
  ['unevaluatedItems', (value) => value === true],
  ['unevaluatedProperties', (value) => value === true],
  ['$dynamicRef', () => false],
  ['$recursiveRef', () => false],
])

/** Relaxes the keywords of a schema that the grammar cannot hold. All that JSON Schema does not know is an annotation. */
export function relaxUnheld(schema: JsonObject, path: string, relax: Relax): void {
  for (const keyword of Object.keys(schema)) {
    const saysNothing = UNHELD.get(keyword)?.(schema[keyword], schema) ?? true
    if (!saysNothing) relax(below(path, keyword), `The keyword '${keyword}' cannot be enforced.`)
  }
}

/** The pointer of what a schema has under a name. */
export function below(path: string, ...names: readonly (string | number)[]): string {
  let pointer = path
  for (const name of names) pointer += `/${typeof name === 'string' && MEANING.test(name) ? escaped(name) : name}`
  return pointer
}

const MEANING = /[~/]/

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
