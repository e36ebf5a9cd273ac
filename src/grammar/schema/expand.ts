import type { Slices } from '../../slices.js'
import type { Budget } from './budget.js'
import { areDisjoint } from './disjoint.js'
import { below, isJsonObject, type JsonObject, relaxUnheld } from './keywords.js'
import { byEachValue } from './listed-values.js'
import { type Located, pathOf } from './located.js'
import { negated } from './negate.js'
import { readShape } from './read-shape.js'
import type { References } from './references.js'
import type { Relax } from './relaxations.js'
import { ANY_SHAPE, bothShapes, type Shape } from './shape.js'

/** The cost of combining two shapes besides their properties, in nodes. */
const OF_PAIR = 5
/** The maximum number of alternatives of a schema in one place. */
const MOST_SHAPES = 500
/** The maximum nesting of combinations and references. */
const DEEPEST = 100

/** Returns the alternatives of a schema; none if it allows nothing. */
export type Expand = (located: Located) => Slices<readonly Shape[]>

export interface ExpanderOptions {
  readonly references: References
  readonly relax: Relax
  readonly budget: Budget
}

interface Work extends ExpanderOptions {
  readonly known: Map<JsonObject, Known>
}

/** The expansion of a schema in any place. */
interface Known {
  /** The path of the schema, since one object may stand in several places. */
  readonly path: string
  readonly shapes: readonly Shape[]
  /** The relaxations in it. */
  readonly said: readonly (readonly [path: string, message: string])[]
}

/** Creates an expander of a document's schemas to alternatives without references and combinations. */
export function createExpander(options: ExpanderOptions): Expand {
  const work = { ...options, known: new Map<JsonObject, Known>() }
  return (located) => expand(work, located, [])
}

/** @param open - the enclosing schemas, without a property or an item between: no reference may lead to one of them */
function* expand(work: Work, located: Located, open: readonly string[]): Slices<readonly Shape[]> {
  if ('all' in located) {
    const path = pathOf(located)
    const parts: Part[] = []
    for (const each of located.all) parts.push({ path: pathOf(each), shapes: yield* expand(work, each, open) })
    return yield* combined(work, [{ ...ANY_SHAPE, path }], parts)
  }
  const { schema, path } = located
  const known = isJsonObject(schema) ? work.known.get(schema) : undefined
  if (known?.path === path && work.budget.spend(1 + known.shapes.length)) {
    for (const [at, message] of known.said) work.relax(at, message)
    return known.shapes
  }
  const { refusals } = work.budget
  const said: [string, string][] = []
  const relax: Relax = (at, message) => {
    said.push([at, message])
    work.relax(at, message)
  }
  const shapes = yield* expandOne({ ...work, relax }, located, open)
  // Parts that were dropped because of the enclosing schemas, or for lack of budget, may be enforced elsewhere.
  if (isJsonObject(schema) && work.budget.refusals === refusals) work.known.set(schema, { path, shapes, said })
  return shapes
}

function* expandOne(
  work: Work,
  located: Exclude<Located, { readonly all: unknown }>,
  open: readonly string[],
): Slices<readonly Shape[]> {
  const { schema, path } = located
  if (schema === true || !isJsonObject(schema)) return schema === false ? [] : [{ ...ANY_SHAPE, path }]
  const relaxed = (message: string): readonly Shape[] => {
    work.relax(path, message)
    return [{ ...ANY_SHAPE, path }]
  }
  const leadsBack = open.includes(path)
  if (leadsBack || open.length > DEEPEST) work.budget.refuse()
  if (leadsBack) return relaxed(LEADS_BACK)
  if (open.length > DEEPEST || !work.budget.spend(sizeOf(schema))) return relaxed(TOO_LARGE)
  const within = [...open, path]
  const target = work.references.get(schema)
  if (target !== undefined && work.references.isAlone(schema)) return yield* expand(work, target, within)
  relaxUnheld(schema, path, work.relax)
  function* part(inner: Located): Slices<Part> {
    return { path: pathOf(inner), shapes: yield* expand(work, inner, within) }
  }
  const parts: Part[] = []
  if (target !== undefined) parts.push(yield* part(target))
  for (const each of subschemas(schema, 'allOf', path)) parts.push(yield* part(each))
  for (const partsOf of COMBINED_BY) parts.push(...(yield* partsOf(work, schema, path, within)))
  // Most schemas that combine others have no keywords of their own.
  const [first, ...others] = saysSomething(schema) ? [] : parts
  if (first !== undefined) return yield* combined(work, first.shapes, others)
  return yield* combined(work, [readShape(schema, path, work.relax)], parts)
}

const COMBINATIONS: ReadonlySet<string> = new Set([
  ...['$ref', '$defs', 'definitions', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
  ...['dependentRequired', 'dependentSchemas', 'dependencies'],
])
const TEXTS: ReadonlySet<string> = new Set(['title', 'description', '$comment', '$schema', '$id', 'default'])

function saysSomething(schema: JsonObject): boolean {
  return Object.keys(schema).some((keyword) => !COMBINATIONS.has(keyword) && !TEXTS.has(keyword))
}

const LEADS_BACK = "A '$ref' leads back to its own schema, without a property or an item between."
const TOO_LARGE = 'The schema is too large to be enforced in this place.'
const TOO_MANY = 'There are too many combinations in each other to be enforced.'

/** Combinators other than a schema's own keywords, `$ref` and `allOf`. */
const COMBINED_BY = [unionOf, exclusiveUnionOf, negationIn, conditionIn, dependenciesIn]

interface Part {
  /** The path of the part that is dropped if it is too large. */
  readonly path: string
  readonly shapes: readonly Shape[]
}

/** Returns the cost of a schema itself: its names and values, by length. */
function sizeOf(schema: JsonObject): number {
  let size = 6
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

/** Returns the length of a value's text, in nodes. Lists and objects are compared as text. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length >> 3
  if (Array.isArray(value)) return value.length
  return isJsonObject(value) ? Object.keys(value).length : 0
}

const MANY = 'There are too many alternatives to be enforced.'

function* unionOf(work: Work, schema: JsonObject, path: string, within: readonly string[]): Slices<Part[]> {
  const at = below(path, 'anyOf')
  const inner = subschemas(schema, 'anyOf', path)
  const parts = inner.length === 0 ? [] : yield* expandAll(work, inner, within)
  if (parts === undefined) work.relax(at, MANY)
  return parts === undefined || inner.length === 0 ? [] : [{ path: at, shapes: parts.flatMap(({ shapes }) => shapes) }]
}

/** Returns the alternatives of each of the schemas. Undefined if they are too many together. */
function* expandAll(
  work: Work,
  inner: readonly Located[],
  within: readonly string[],
): Slices<readonly Expanded[] | undefined> {
  const parts: Expanded[] = []
  let count = 0
  for (const each of inner) {
    const expanded = yield* expandExactly(work, each, within)
    count += expanded.shapes.length
    if (count > MOST_SHAPES) return undefined
    parts.push(expanded)
  }
  return parts
}

interface Expanded {
  readonly shapes: readonly Shape[]
  /** Whether it is complete: nothing of the schema was dropped. */
  readonly isExact: boolean
}

function* expandExactly(work: Work, located: Located, within: readonly string[]): Slices<Expanded> {
  let isExact = true
  const relax: Relax = (path, message) => {
    isExact = false
    work.relax(path, message)
  }
  const shapes = yield* expand({ ...work, relax }, located, within)
  return { shapes, isExact }
}

/** Expands `oneOf`: each part without the values of other parts. */
function* exclusiveUnionOf(work: Work, schema: JsonObject, path: string, within: readonly string[]): Slices<Part[]> {
  const at = below(path, 'oneOf')
  const inner = subschemas(schema, 'oneOf', path)
  if (inner.length === 0) return []
  const parts = yield* expandAll(work, inner, within)
  if (parts === undefined) {
    work.relax(at, MANY)
    return []
  }
  const whole = yield* exclusiveShapes(work, parts, at)
  if (whole !== undefined) return [{ path: at, shapes: whole }]
  work.relax(at, OVERLAP)
  return [{ path: at, shapes: parts.flatMap(({ shapes }) => shapes) }]
}

/**
 * Returns the values that exactly one of the parts allows. Undefined if that cannot be expressed, or is too much work.
 */
function* exclusiveShapes(work: Work, parts: readonly Expanded[], path: string): Slices<readonly Shape[] | undefined> {
  const negations = new Map<Expanded, readonly Shape[] | undefined>()
  function* negationOfPart(part: Expanded): Slices<readonly Shape[] | undefined> {
    if (!negations.has(part)) {
      negations.set(part, part.isExact ? yield* negationOf(work, part.shapes, path) : undefined)
    }
    return negations.get(part)
  }
  const all: Shape[] = []
  for (const part of parts) {
    let shapes: readonly Shape[] | undefined = part.shapes
    for (const other of parts) {
      if (other === part || (yield* haveNothingInCommon(work, part.shapes, other.shapes))) continue
      const negation = yield* negationOfPart(other)
      shapes = negation && (yield* product(work, shapes, negation))
      // A single pair that cannot be told apart is enough: the rest is not tried.
      if (shapes === undefined) return undefined
    }
    for (const shape of shapes) all.push(shape)
    if (all.length > MOST_SHAPES) return undefined
  }
  return all
}

const OVERLAP =
  "Two parts of 'oneOf' may allow the same value: it is enforced as 'anyOf'. Tell them apart by a 'const'."

function* haveNothingInCommon(
  { references, budget }: Work,
  ones: readonly Shape[],
  others: readonly Shape[],
): Slices<boolean> {
  for (const one of ones) {
    if (budget.isPauseDue()) yield
    if (!others.every((other) => budget.spend(1) && areDisjoint(references, one, other, budget))) return false
  }
  return true
}

/** Returns the values that none of the shapes allows. Undefined if that cannot be expressed. */
function* negationOf(work: Work, shapes: readonly Shape[], path: string): Slices<readonly Shape[] | undefined> {
  let all: readonly Shape[] | undefined = [{ ...ANY_SHAPE, path }]
  for (const shape of shapes.flatMap(byEachValue)) {
    const other = negated(shape, path)
    all = all && other && (yield* product(work, all, other))
  }
  return all
}

/** Returns the values that a schema does not allow. */
function* negation(work: Work, located: Located, within: readonly string[]): Slices<readonly Shape[] | undefined> {
  const { shapes, isExact } = yield* expandExactly({ ...work, relax: () => {} }, located, within)
  return isExact ? yield* negationOf(work, shapes, pathOf(located)) : undefined
}

function* negationIn(work: Work, schema: JsonObject, path: string, within: readonly string[]): Slices<Part[]> {
  if (!Object.hasOwn(schema, 'not')) return []
  const at = below(path, 'not')
  const shapes = yield* negation(work, { schema: schema['not'], path: at }, within)
  if (shapes === undefined) work.relax(at, "This 'not' cannot be enforced.")
  return shapes === undefined ? [] : [{ path: at, shapes }]
}

/** Expands `if`: the values that it and `then` allow, or that it rejects and `else` allows. */
function* conditionIn(work: Work, schema: JsonObject, path: string, within: readonly string[]): Slices<Part[]> {
  const { if: condition, then: so = true, else: otherwise = true } = schema
  if (condition === undefined || (so === true && otherwise === true)) return []
  const [at, ...branches] = ['if', 'then', 'else'].map((keyword) => below(path, keyword)) as [string, string, string]
  const met = yield* expandExactly({ ...work, relax: () => {} }, { schema: condition, path: at }, within)
  const unmet = met.isExact ? yield* negationOf(work, met.shapes, at) : undefined
  function* under(shapes: readonly Shape[], schema: unknown, path: string): Slices<readonly Shape[] | undefined> {
    return yield* product(work, shapes, yield* expand(work, { schema, path }, within))
  }
  const yes = yield* under(met.shapes, so, branches[0] as string)
  const no = unmet && (yield* under(unmet, otherwise, branches[1] as string))
  if (unmet !== undefined && yes !== undefined && no !== undefined) return [{ path: at, shapes: [...yes, ...no] }]
  work.relax(at, "This 'if' cannot be enforced.")
  return []
}

/** Expands the demands of a present property: other properties, or a schema. */
function* dependenciesIn(work: Work, schema: JsonObject, path: string, within: readonly string[]): Slices<Part[]> {
  const parts: Part[] = []
  for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
    if (!Object.hasOwn(schema, keyword)) continue
    for (const [name, demand] of Object.entries(Object(schema[keyword]))) {
      const at = below(path, keyword, name)
      const absent = { ...ANY_SHAPE, path: at, properties: new Map([[name, { schema: false, path: at }]]) }
      const names = Array.isArray(demand) ? (demand as readonly string[]) : []
      const types: Shape['types'] = new Set(['object'])
      const there: Shape = { ...ANY_SHAPE, path: at, types, required: new Set([name, ...names]) }
      const demanded = Array.isArray(demand)
        ? []
        : [{ path: at, shapes: yield* expand(work, { schema: demand, path: at }, within) }]
      parts.push({ path: at, shapes: [absent, ...(yield* combined(work, [there], demanded))] })
    }
  }
  return parts
}

function subschemas(schema: JsonObject, keyword: string, path: string): Located[] {
  const parts = Object.hasOwn(schema, keyword) ? schema[keyword] : []
  return Array.isArray(parts) ? parts.map((part, index) => ({ schema: part, path: below(path, keyword, index) })) : []
}

/** Returns the values that all of them allow. */
function* combined(work: Work, start: readonly Shape[], parts: readonly Part[]): Slices<readonly Shape[]> {
  let shapes = start
  for (const { path, shapes: others } of parts) {
    const both = yield* product(work, shapes, others)
    if (both === undefined) work.relax(path, TOO_MANY)
    else shapes = both
  }
  return shapes
}

function* product(
  { budget }: Work,
  ones: readonly Shape[],
  others: readonly Shape[],
): Slices<readonly Shape[] | undefined> {
  if (ones.length * others.length > MOST_SHAPES) return undefined
  const all: Shape[] = []
  for (const one of ones) {
    for (const other of others) {
      if (!budget.spend(1 + one.properties.size + other.properties.size + one.prefix.length + other.prefix.length))
        return undefined
      if (budget.isPauseDue(OF_PAIR)) yield
      const both = bothShapes(one, other)
      if (both !== undefined) all.push(both)
    }
  }
  return all
}
