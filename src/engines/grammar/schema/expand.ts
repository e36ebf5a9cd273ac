import { type Fields, isFields } from '../../../shared/fields.js'
import type { Slices } from '../../../shared/slices.js'
import { OF_SHAPE } from './budget.js'
import { combined } from './combine.js'
import { conditionIn, dependenciesIn, negationIn } from './conditions.js'
import { type Expansion, type Part, type PartsOf, subschemas } from './expansion.js'
import { relaxUnenforced } from './keywords.js'
import { type Located, pathOf } from './located.js'
import { readShape, withPatterns } from './read-shape.js'
import type { Relax } from './relaxations.js'
import { ANY_SHAPE, type Shape } from './shape.js'
import { exclusiveUnionOf, unionOf } from './unions.js'

/** The maximum nesting of combinations and references. */
const MAX_DEPTH = 100

/** Returns the alternatives of a schema; none if it allows nothing. */
export type Expand = (located: Located) => Slices<readonly Shape[]>

/** The expansion of a schema in any place. */
interface Known {
  /** The path of the schema, since one object may stand in several places. */
  readonly path: string
  readonly shapes: readonly Shape[]
  /** The relaxations in it. */
  readonly relaxations: readonly (readonly [path: string, message: string])[]
}

/** Creates an expander of a document's schemas to alternatives without references and combinations. */
export function createExpander(options: Omit<Expansion, 'expand'>): Expand {
  const all = new Map<Fields, Known>()

  function* expand(work: Expansion, located: Located, within: readonly string[]): Slices<readonly Shape[]> {
    if ('all' in located) {
      const path = pathOf(located)
      const parts: Part[] = []
      for (const each of located.all) parts.push({ path: pathOf(each), shapes: yield* expand(work, each, within) })
      return yield* combined(work, [{ ...ANY_SHAPE, path }], parts)
    }
    const { schema, path } = located
    if (work.budget.isPauseDue(OF_SHAPE)) yield
    if (!isFields(schema)) return schema === false ? [] : [{ ...ANY_SHAPE, path }]
    const known = all.get(schema)
    if (known?.path === path && work.budget.spend(1 + known.shapes.length)) {
      for (const [at, message] of known.relaxations) work.relax(at, message)
      return known.shapes
    }
    const { refusals } = work.budget
    const relaxations: [string, string][] = []
    const relax: Relax = (at, message) => {
      relaxations.push([at, message])
      work.relax(at, message)
    }
    const inner = { ...work, relax }
    const shapes =
      refused(inner, schema, path, within) ??
      // Most schemas: without another generator.
      (isSimple(work, schema) ? ownShapes(inner, schema, path) : yield* expandOne(inner, schema, path, within))
    // Parts that were dropped because of the enclosing schemas, or for lack of budget, may be enforced elsewhere.
    if (work.budget.refusals === refusals) all.set(schema, { path, shapes, relaxations })
    return shapes
  }

  const work: Expansion = { ...options, expand }
  return (located) => expand(work, located, [])
}

/** Returns any value in place of a schema that is too large here, or leads back to itself. Undefined for any other. */
function refused(
  { budget, relax }: Expansion,
  schema: Fields,
  path: string,
  open: readonly string[],
): readonly Shape[] | undefined {
  const leadsBack = open.includes(path)
  if (leadsBack || open.length > MAX_DEPTH) budget.refuse()
  else if (budget.spend(sizeOf(schema))) return undefined
  relax(path, leadsBack ? LEADS_BACK : TOO_LARGE)
  return [{ ...ANY_SHAPE, path }]
}

/** Whether a schema combines no others, and tries no names with patterns. */
function isSimple({ references }: Expansion, schema: Fields): boolean {
  return references.get(schema) === undefined && !Object.keys(schema).some((keyword) => IN_SLICES.has(keyword))
}

function ownShapes({ relax }: Expansion, schema: Fields, path: string): readonly Shape[] {
  relaxUnenforced(schema, path, relax)
  return [readShape(schema, path, relax)]
}

function* expandOne(work: Expansion, schema: Fields, path: string, open: readonly string[]): Slices<readonly Shape[]> {
  const target = work.references.get(schema)
  const within = [...open, path]
  if (target !== undefined && work.references.isAlone(schema)) return yield* work.expand(work, target, within)
  relaxUnenforced(schema, path, work.relax)
  function* part(inner: Located): Slices<Part> {
    return { path: pathOf(inner), shapes: yield* work.expand(work, inner, within) }
  }
  const parts: Part[] = []
  if (target !== undefined) parts.push(yield* part(target))
  for (const each of subschemas(schema, 'allOf', path)) parts.push(yield* part(each))
  for (const { keywords, partsOf } of COMBINED_BY) {
    if (!keywords.some((keyword) => Object.hasOwn(schema, keyword))) continue
    for (const each of yield* partsOf(work, schema, path, within)) parts.push(each)
  }
  // Most schemas that combine others have no keywords of their own.
  const [first, ...others] = saysSomething(schema) ? [] : parts
  if (first !== undefined) return yield* combined(work, first.shapes, others)
  return yield* combined(work, [yield* withPatterns(readShape(schema, path, work.relax), work.budget)], parts)
}

const COMBINATIONS: ReadonlySet<string> = new Set([
  ...['$ref', '$defs', 'definitions', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
  ...['dependentRequired', 'dependentSchemas', 'dependencies'],
])
const TEXTS: ReadonlySet<string> = new Set(['title', 'description', '$comment', '$schema', '$id', 'default'])

function saysSomething(schema: Fields): boolean {
  return Object.keys(schema).some((keyword) => !COMBINATIONS.has(keyword) && !TEXTS.has(keyword))
}

const LEADS_BACK = "A '$ref' leads back to its own schema, without a property or an item between."
const TOO_LARGE = 'The schema is too large to be enforced in this place.'

/** Combinators other than a schema's own keywords, `$ref` and `allOf`. */
const COMBINED_BY: readonly { readonly keywords: readonly string[]; readonly partsOf: PartsOf }[] = [
  { keywords: ['anyOf'], partsOf: unionOf },
  { keywords: ['oneOf'], partsOf: exclusiveUnionOf },
  { keywords: ['not'], partsOf: negationIn },
  { keywords: ['if'], partsOf: conditionIn },
  { keywords: ['dependentRequired', 'dependentSchemas', 'dependencies'], partsOf: dependenciesIn },
]

const IN_SLICES: ReadonlySet<string> = new Set([
  ...['allOf', 'patternProperties'],
  ...COMBINED_BY.flatMap(({ keywords }) => keywords),
])

/** Returns the cost of a schema itself: its names and values, by length. */
function sizeOf(schema: Fields): number {
  let size = 6
  for (const keyword of RECORDS) {
    const record = schema[keyword]
    if (isFields(record)) for (const name of Object.keys(record)) size += 1 + (name.length >> 4)
  }
  for (const keyword of LISTS) {
    const list = schema[keyword]
    if (Array.isArray(list)) for (const value of list) size += 1 + lengthOf(value)
  }
  return size + lengthOf(schema['const'])
}

const RECORDS: readonly string[] = ['properties', 'patternProperties']
const LISTS: readonly string[] = ['required', 'enum', 'prefixItems', 'items']

/** Returns the length of a value's text, in nodes. Lists and objects are compared as text. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length >> 3
  if (Array.isArray(value)) return value.length
  return isFields(value) ? Object.keys(value).length : 0
}
