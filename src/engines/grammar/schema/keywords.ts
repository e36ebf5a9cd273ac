import type { Fields } from '../../../shared/fields.js'
import type { Relax } from './relaxations.js'

/** Keywords that our grammars cannot enforce, with a test for values that have no effect beside the others. */
export const UNENFORCED: ReadonlyMap<string, (value: unknown, schema: Fields) => boolean> = new Map<
  string,
  (value: unknown, schema: Fields) => boolean
>([
  ['contains', (_value, { minContains, maxContains }) => minContains === 0 && maxContains === undefined],
  ['uniqueItems', (value) => value === false],
  ['unevaluatedItems', (value) => value === true],
  ['unevaluatedProperties', (value) => value === true],
  ['$dynamicRef', () => false],
  ['$recursiveRef', () => false],
])

/** Relaxes the keywords of a schema that the grammar cannot enforce. Unknown keywords are annotations. */
export function relaxUnenforced(schema: Fields, path: string, relax: Relax): void {
  for (const keyword of Object.keys(schema)) {
    const saysNothing = UNENFORCED.get(keyword)?.(schema[keyword], schema) ?? true
    if (!saysNothing) relax(below(path, keyword), `The keyword '${keyword}' cannot be enforced.`)
  }
}

/** Returns the pointer to the value under a name. */
export function below(path: string, ...names: readonly (string | number)[]): string {
  let pointer = path
  for (const name of names) pointer += `/${typeof name === 'string' && MEANING.test(name) ? escaped(name) : name}`
  return pointer
}

const MEANING = /[~/\0]/

/** NUL, too: it separates the names of made schemas (`located.ts`). No pointer of a client's has `~2`. */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('\0', '~2')
}
