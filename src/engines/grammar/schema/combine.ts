import type { Slices } from '../../../shared/slices.js'
import { OF_SHAPE } from './budget.js'
import type { Expansion, Part } from './expansion.js'
import { byEachValue } from './listed-values.js'
import { negated } from './negate.js'
import { ANY_SHAPE, bothShapes, type Shape } from './shape.js'

/** The maximum number of alternatives of a schema in one place. */
export const MAX_SHAPES = 500

const TOO_MANY = 'There are too many combinations in each other to be enforced.'

/** Returns the values that all of them allow. */
export function* combined(work: Expansion, start: readonly Shape[], parts: readonly Part[]): Slices<readonly Shape[]> {
  let shapes = start
  for (const { path, shapes: others } of parts) {
    const both = yield* product(work, shapes, others)
    if (both === undefined) work.relax(path, TOO_MANY)
    else shapes = both
  }
  return shapes
}

/** Returns the values that both allow. Undefined if they have too many alternatives. */
export function* product(
  { budget }: Pick<Expansion, 'budget'>,
  ones: readonly Shape[],
  others: readonly Shape[],
): Slices<readonly Shape[] | undefined> {
  if (ones.length * others.length > MAX_SHAPES) return undefined
  const all: Shape[] = []
  for (const one of ones) {
    for (const other of others) {
      if (!budget.spend(1 + one.properties.size + other.properties.size + one.prefix.length + other.prefix.length))
        return undefined
      if (budget.isPauseDue(OF_SHAPE)) yield
      const both = bothShapes(one, other)
      if (both !== undefined) all.push(both)
    }
  }
  return all
}

/** Returns the values that none of the shapes allows. Undefined if that cannot be expressed. */
export function* negationOf(
  work: Expansion,
  shapes: readonly Shape[],
  path: string,
): Slices<readonly Shape[] | undefined> {
  let all: readonly Shape[] = [{ ...ANY_SHAPE, path }]
  for (const shape of shapes) {
    for (const each of byEachValue(shape)) {
      const other = negated(each, path)
      const both = other && (yield* product(work, all, other))
      if (both === undefined) return undefined
      all = both
    }
  }
  return all
}
