import { choice, EMPTY, type Expression, optional, sequence } from '../expression.js'
import { bracketed, following } from '../json-text.js'
import type { Compiler } from './compiler.js'
import { below } from './keywords.js'
import type { Relax } from './relaxations.js'
import type { Shape } from './shape.js'

/** The maximum number of required items: that of a shortest completion. */
const MAX_REQUIRED = 100_000
/** The maximum number that can be counted. */
const MAX_ITEMS = 2 ** 31

const MAX_PARTS = 1_000

/** Returns the arrays that a shape allows. */
export function arrayText(shape: Shape, compiler: Compiler): Expression {
  const { items, path } = shape
  const { min, max } = countsOf(shape, compiler.relax)
  if (min > max) return choice([])
  const prefix = shape.prefix.slice(0, MAX_PARTS)
  const isTooLong = shape.prefix.length > MAX_PARTS
  if (isTooLong) compiler.relax(below(path, 'prefixItems'), `More than ${MAX_PARTS} cannot be enforced.`)
  if (max === 0) return bracketed('[', choice([]), true)
  const declared = prefix.slice(0, max).map((item) => compiler.value(item))
  const rest = isTooLong ? compiler.anything() : compiler.value(items)
  const counted = Math.max(declared.length, 1)
  const isFull = max <= counted
  let tail = isFull ? EMPTY : compiler.rules.times(following(rest), Math.max(0, min - counted), max - counted)
  for (let at = declared.length - 1; at > 0; at--) {
    const item = sequence([following(declared[at] as Expression), tail])
    // A rule of its own for each item, or a long tuple would be nested deeply.
    tail = at < min ? item : compiler.rules.add('more', optional(item))
  }
  return bracketed('[', sequence([declared[0] ?? rest, tail]), min === 0)
}

function countsOf({ minItems, maxItems, path }: Shape, relax: Relax): { min: number; max: number } {
  const tooMany = (max: number): string => `More than ${max} cannot be counted.`
  if (minItems > maxItems) return { min: 1, max: 0 }
  const isOver = maxItems > MAX_ITEMS && maxItems !== Number.POSITIVE_INFINITY
  if (minItems > MAX_REQUIRED) relax(below(path, 'minItems'), tooMany(MAX_REQUIRED))
  if (isOver) relax(below(path, 'maxItems'), tooMany(MAX_ITEMS))
  return { min: Math.min(minItems, MAX_REQUIRED), max: isOver ? Number.POSITIVE_INFINITY : maxItems }
}
