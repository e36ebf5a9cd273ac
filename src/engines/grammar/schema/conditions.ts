import type { Slices } from '../../../shared/slices.js'
import { combined, negationOf, product } from './combine.js'
import { type Expanded, type Expansion, expandExactly, type Part, type PartsOf } from './expansion.js'
import { below } from './keywords.js'
import type { Located } from './located.js'
import { ANY_SHAPE, type Shape } from './shape.js'

/** Expands a negated schema: any part that is dropped relaxes the whole keyword. */
function allowedBy(work: Expansion, located: Located, within: readonly string[]): Slices<Expanded> {
  return expandExactly({ ...work, relax: () => {} }, located, within)
}

/** Expands `not`. */
export const negationIn: PartsOf = function* (work, schema, path, within): Slices<Part[]> {
  const at = below(path, 'not')
  const { shapes: inner, isExact } = yield* allowedBy(work, { schema: schema['not'], path: at }, within)
  const shapes = isExact ? yield* negationOf(work, inner, at) : undefined
  if (shapes === undefined) work.relax(at, "This 'not' cannot be enforced.")
  return shapes === undefined ? [] : [{ path: at, shapes }]
}

/** Expands `if`: the values that it and `then` allow, or that it rejects and `else` allows. */
export const conditionIn: PartsOf = function* (work, schema, path, within): Slices<Part[]> {
  const { if: condition, then: so = true, else: otherwise = true } = schema
  if (condition === undefined || (so === true && otherwise === true)) return []
  const [at, ...branches] = ['if', 'then', 'else'].map((keyword) => below(path, keyword)) as [string, string, string]
  const met = yield* allowedBy(work, { schema: condition, path: at }, within)
  const unmet = met.isExact ? yield* negationOf(work, met.shapes, at) : undefined
  function* under(shapes: readonly Shape[], schema: unknown, path: string): Slices<readonly Shape[] | undefined> {
    return yield* product(work, shapes, yield* work.expand(work, { schema, path }, within))
  }
  const yes = yield* under(met.shapes, so, branches[0] as string)
  const no = unmet && (yield* under(unmet, otherwise, branches[1] as string))
  if (unmet !== undefined && yes !== undefined && no !== undefined) return [{ path: at, shapes: [...yes, ...no] }]
  work.relax(at, "This 'if' cannot be enforced.")
  return []
}

/** Expands the demands of a present property: other properties, or a schema. */
export const dependenciesIn: PartsOf = function* (work, schema, path, within): Slices<Part[]> {
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
        : [{ path: at, shapes: yield* work.expand(work, { schema: demand, path: at }, within) }]
      parts.push({ path: at, shapes: [absent, ...(yield* combined(work, [there], demanded))] })
    }
  }
  return parts
}
