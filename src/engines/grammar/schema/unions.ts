import type { Slices } from '../../../shared/slices.js'
import { MAX_SHAPES, negationOf, product } from './combine.js'
import { areDisjoint } from './disjoint.js'
import { type Expanded, type Expansion, expandExactly, type Part, type PartsOf, subschemas } from './expansion.js'
import { below } from './keywords.js'
import type { Located } from './located.js'
import type { Shape } from './shape.js'

const MANY = 'There are too many alternatives to enforce.'

/** Expands `anyOf`. */
export const unionOf: PartsOf = function* (work, schema, path, within): Slices<Part[]> {
  const at = below(path, 'anyOf')
  const inner = subschemas(schema, 'anyOf', path)
  const parts = yield* expandAll(work, inner, within)
  if (parts === undefined) work.relax(at, MANY)
  return parts === undefined ? [] : [{ path: at, shapes: parts.flatMap(({ shapes }) => shapes) }]
}

/** Returns the alternatives of each of the schemas. Undefined if they are too many together. */
function* expandAll(
  work: Expansion,
  inner: readonly Located[],
  within: readonly string[],
): Slices<readonly Expanded[] | undefined> {
  const parts: Expanded[] = []
  let count = 0
  for (const each of inner) {
    const expanded = yield* expandExactly(work, each, within)
    count += expanded.shapes.length
    if (count > MAX_SHAPES) return undefined
    parts.push(expanded)
  }
  return parts
}

/** Expands `oneOf`: each part without the values of other parts. */
export const exclusiveUnionOf: PartsOf = function* (work, schema, path, within): Slices<Part[]> {
  const at = below(path, 'oneOf')
  const inner = subschemas(schema, 'oneOf', path)
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
function* exclusiveShapes(
  work: Expansion,
  parts: readonly Expanded[],
  path: string,
): Slices<readonly Shape[] | undefined> {
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
    if (all.length > MAX_SHAPES) return undefined
  }
  return all
}

const OVERLAP =
  "Two parts of 'oneOf' may allow the same value: it is enforced as 'anyOf'. Tell them apart by a 'const'."

function* haveNothingInCommon(
  { references, budget }: Expansion,
  ones: readonly Shape[],
  others: readonly Shape[],
): Slices<boolean> {
  for (const one of ones) {
    for (const other of others) {
      if (budget.isPauseDue()) yield
      if (!budget.spend(1) || !areDisjoint(references, one, other, budget)) return false
    }
  }
  return true
}
