import { UnsupportedSchema } from '../unsupported-schema.js'
import { areDisjoint } from './disjoint.js'
import { below, checkKeywords, isJsonObject, type JsonObject, refusal } from './keywords.js'
import { type Located, pathOf, resolve } from './located.js'
import { readShape } from './read-shape.js'
import { ANY_SHAPE, bothShapes, type Shape } from './shape.js'

/** So many alternatives a schema may have in one place. */
const MOST_SHAPES = 500
/** So many subschemas are looked into, those that several references lead to each time. */
const MOST_STEPS = 20_000
/** Combinations and references stand in each other at most so deep. */
const DEEPEST = 100

/** What {@link createExpander} makes: the alternatives of a schema; none if it allows nothing. */
export type Expand = (located: Located) => readonly Shape[]

/** Looks for what schemas of a document allow, as alternatives without references and combinations. */
export function createExpander(document: unknown): Expand {
  const work = { document, steps: 0 }
  return (located) => expand(work, located, [])
}

interface Work {
  readonly document: unknown
  steps: number
}

/** @param open - the schemas around it, without a property or an item between: no reference may lead to one of them */
function expand(work: Work, located: Located, open: readonly string[]): readonly Shape[] {
  if ('all' in located) {
    return located.all
      .map((each) => expand(work, each, open))
      .reduce((ones, others) => product(ones, others, pathOf(located)), [{ ...ANY_SHAPE, path: pathOf(located) }])
  }
  const { schema, path } = located
  if (schema === true) return [{ ...ANY_SHAPE, path }]
  if (schema === false) return []
  if (!isJsonObject(schema)) throw new UnsupportedSchema(path, 'A schema has to be an object or a boolean.')
  if (open.includes(path)) {
    throw new UnsupportedSchema(path, "A '$ref' leads back to its own schema, without a property or an item between.")
  }
  if (++work.steps > MOST_STEPS || open.length > DEEPEST) {
    throw new UnsupportedSchema(path, 'There are too many combinations in each other.')
  }
  checkKeywords(schema, path)
  const within = [...open, path]
  const combine = (shapes: readonly Shape[], parts: readonly (readonly Shape[])[]): readonly Shape[] =>
    parts.reduce((ones, others) => product(ones, others, path), shapes)
  const target = Object.hasOwn(schema, '$ref')
    ? [expand(work, resolve(work.document, schema['$ref'], path), within)]
    : []
  const each = (keyword: string): (readonly Shape[])[] =>
    subschemas(schema, keyword, path).map((part) => expand(work, part, within))
  const alternatives = [...unionOf(schema, 'anyOf', path, each), ...disjointUnion(work.document, schema, path, each)]
  return combine([readShape(schema, path)], [...target, ...each('allOf'), ...alternatives])
}

type Each = (keyword: string) => (readonly Shape[])[]

function unionOf(schema: JsonObject, keyword: string, path: string, each: Each): (readonly Shape[])[] {
  if (!Object.hasOwn(schema, keyword)) return []
  const shapes = each(keyword).flat()
  if (shapes.length > MOST_SHAPES) throw refusal(path, keyword, 'There are too many alternatives.')
  return [shapes]
}

/** `oneOf`, which is `anyOf` where no two parts allow the same value. */
function disjointUnion(document: unknown, schema: JsonObject, path: string, each: Each): (readonly Shape[])[] {
  if (!Object.hasOwn(schema, 'oneOf')) return []
  const parts = each('oneOf')
  for (const [index, part] of parts.entries()) {
    for (const other of parts.slice(index + 1)) {
      const overlap = part.some((one) => other.some((two) => !areDisjoint(document, one, two)))
      if (!overlap) continue
      const message = "Two parts of 'oneOf' may allow the same value. Use 'anyOf', or tell them apart by a 'const'."
      throw refusal(path, 'oneOf', message)
    }
  }
  return unionOf(schema, 'oneOf', path, () => parts)
}

function subschemas(schema: JsonObject, keyword: string, path: string): Located[] {
  if (!Object.hasOwn(schema, keyword)) return []
  const parts = schema[keyword]
  if (!Array.isArray(parts) || parts.length === 0) {
    throw refusal(path, keyword, `The keyword '${keyword}' has to be a list of schemas.`)
  }
  if (parts.length > MOST_SHAPES) throw refusal(path, keyword, 'There are too many alternatives.')
  return parts.map((part, index) => ({ schema: part, path: below(path, keyword, index) }))
}

function product(ones: readonly Shape[], others: readonly Shape[], path: string): readonly Shape[] {
  if (ones.length * others.length > MOST_SHAPES) {
    throw new UnsupportedSchema(path, 'There are too many combinations of alternatives.')
  }
  return ones.flatMap((one) => others.map((other) => bothShapes(one, other)).filter((shape) => shape !== undefined))
}
