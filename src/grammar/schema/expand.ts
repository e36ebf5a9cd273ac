import type { Budget } from './budget.js'
import { areDisjoint } from './disjoint.js'
import { below, isJsonObject, type JsonObject, relaxUnheld } from './keywords.js'
import { type Located, pathOf } from './located.js'
import { readShape } from './read-shape.js'
import type { References } from './references.js'
import type { Relax } from './relaxations.js'
import { ANY_SHAPE, bothShapes, type Shape } from './shape.js'

/** So many alternatives a schema may have in one place. */
const MOST_SHAPES = 500
/** Combinations and references stand in each other at most so deep. */
const DEEPEST = 100

/** What {@link createExpander} makes: the alternatives of a schema; none if it allows nothing. */
export type Expand = (located: Located) => readonly Shape[]

export interface ExpanderOptions {
  readonly references: References
  readonly relax: Relax
  readonly budget: Budget
}

/** Looks for what schemas of a document allow, as alternatives without references and combinations. */
export function createExpander(options: ExpanderOptions): Expand {
  return (located) => expand(options, located, [])
}

/** @param open - the schemas around it, without a property or an item between: no reference may lead to one of them */
function expand(work: ExpanderOptions, located: Located, open: readonly string[]): readonly Shape[] {
  if ('all' in located) {
    const path = pathOf(located)
    const parts = located.all.map((each) => ({ path: pathOf(each), shapes: expand(work, each, open) }))
    return combined(work, [{ ...ANY_SHAPE, path }], parts)
  }
  const { schema, path } = located
  if (schema === true || !isJsonObject(schema)) return schema === false ? [] : [{ ...ANY_SHAPE, path }]
  const relaxed = (message: string): readonly Shape[] => {
    work.relax(path, message)
    return [{ ...ANY_SHAPE, path }]
  }
  if (open.includes(path)) return relaxed(LEADS_BACK)
  if (open.length > DEEPEST || !work.budget.spend(sizeOf(schema))) return relaxed(TOO_LARGE)
  relaxUnheld(schema, path, work.relax)
  const within = [...open, path]
  const part = (inner: Located): Part => ({ path: pathOf(inner), shapes: expand(work, inner, within) })
  const target = work.references.get(schema)
  const parts = [
    ...(target === undefined ? [] : [part(target)]),
    ...subschemas(schema, 'allOf', path).map(part),
    ...unionOf(work, schema, 'anyOf', path, within),
    ...unionOf(work, schema, 'oneOf', path, within),
  ]
  // Most that combine others say nothing themselves.
  const [first, ...others] = saysSomething(schema) ? [] : parts
  if (first !== undefined) return combined(work, first.shapes, others)
  return combined(work, [readShape(schema, path, work.relax)], parts)
}

const COMBINATIONS: ReadonlySet<string> = new Set(['$ref', 'allOf', 'anyOf', 'oneOf', '$defs', 'definitions'])
const TEXTS: ReadonlySet<string> = new Set(['title', 'description', '$comment', '$schema', '$id', 'default'])

function saysSomething(schema: JsonObject): boolean {
  return Object.keys(schema).some((keyword) => !COMBINATIONS.has(keyword) && !TEXTS.has(keyword))
}

const LEADS_BACK = "A '$ref' leads back to its own schema, without a property or an item between."
const TOO_LARGE = 'The schema is too large to be enforced in this place.'
const TOO_MANY = 'There are too many combinations in each other to be enforced.'

interface Part {
  /** Of what is left out if it is too much. */
  readonly path: string
  readonly shapes: readonly Shape[]
}

/** What looking at a schema itself takes: its names and values, by their length. */
function sizeOf(schema: JsonObject): number {
  let size = 3
  for (const keyword of ['properties', 'patternProperties']) {
    const record = schema[keyword]
    if (isJsonObject(record)) for (const name of Object.keys(record)) size += 1 + (name.length >> 4)
  }
  for (const keyword of ['required', 'enum', 'prefixItems', 'items']) {
    const list = schema[keyword]
    if (Array.isArray(list)) for (const value of list) size += 1 + lengthOf(value)
  }
  return size + lengthOf(schema['const'])
}

/** Of a text, in nodes. A list or an object that is a value is compared with others as text. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length >> 3
  if (Array.isArray(value)) return value.length
  return isJsonObject(value) ? Object.keys(value).length : 0
}

/** `anyOf`, and `oneOf`: which is the same where no two parts allow the same value. */
function unionOf(
  work: ExpanderOptions,
  schema: JsonObject,
  keyword: 'anyOf' | 'oneOf',
  path: string,
  within: readonly string[],
): Part[] {
  const inner = subschemas(schema, keyword, path)
  if (inner.length === 0) return []
  const at = below(path, keyword)
  const parts: (readonly Shape[])[] = []
  let count = 0
  for (const each of inner) {
    const shapes = expand(work, each, within)
    count += shapes.length
    if (count > MOST_SHAPES) {
      work.relax(at, 'There are too many alternatives to be enforced.')
      return []
    }
    parts.push(shapes)
  }
  if (keyword === 'oneOf' && !areAllDisjoint(work, parts)) work.relax(at, OVERLAP)
  return [{ path: at, shapes: parts.flat() }]
}

const OVERLAP =
  "Two parts of 'oneOf' may allow the same value: it is enforced as 'anyOf'. Tell them apart by a 'const'."

function areAllDisjoint({ references, budget }: ExpanderOptions, parts: readonly (readonly Shape[])[]): boolean {
  return parts.every((part, index) =>
    parts
      .slice(index + 1)
      .every((other) =>
        part.every((one) => other.every((two) => budget.spend(1) && areDisjoint(references, one, two, budget))),
      ),
  )
}

function subschemas(schema: JsonObject, keyword: string, path: string): Located[] {
  const parts = Object.hasOwn(schema, keyword) ? schema[keyword] : []
  return Array.isArray(parts) ? parts.map((part, index) => ({ schema: part, path: below(path, keyword, index) })) : []
}

/** What all of them allow. */
function combined(work: ExpanderOptions, start: readonly Shape[], parts: readonly Part[]): readonly Shape[] {
  let shapes = start
  for (const { path, shapes: others } of parts) {
    const both = product(work, shapes, others)
    if (both === undefined) work.relax(path, TOO_MANY)
    else shapes = both
  }
  return shapes
}

function product(
  { budget }: ExpanderOptions,
  ones: readonly Shape[],
  others: readonly Shape[],
): readonly Shape[] | undefined {
  if (ones.length * others.length > MOST_SHAPES) return undefined
  const all: Shape[] = []
  for (const one of ones) {
    for (const other of others) {
      if (!budget.spend(1 + one.properties.size + other.properties.size + one.prefix.length + other.prefix.length))
        return undefined
      const both = bothShapes(one, other)
      if (both !== undefined) all.push(both)
    }
  }
  return all
}
