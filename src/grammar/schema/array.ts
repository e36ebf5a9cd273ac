import { choice, EMPTY, type Expression, optional, sequence } from '../expression.js'
import { bracketed, following } from '../json-text.js'
import { UnsupportedSchema } from '../unsupported-schema.js'
import type { Compiler } from './compiler.js'
import { below } from './keywords.js'
import type { Shape } from './shape.js'

/** So many items, one by one, an array may have to have: as many as a repetition is written for. */
const MOST_ITEMS = 100_000

const MOST_PARTS = 1_000

/** The arrays that a shape allows. */
export function arrayText(shape: Shape, compiler: Compiler): Expression {
  const { prefix, items, minItems: min, maxItems: max, path } = shape
  if (min > max) return choice()
  if (min > MOST_ITEMS)
    throw new UnsupportedSchema(below(path, 'minItems'), `More than ${MOST_ITEMS} cannot be counted.`)
  if (max > MOST_ITEMS && max !== Number.POSITIVE_INFINITY) {
    throw new UnsupportedSchema(below(path, 'maxItems'), `More than ${MOST_ITEMS} cannot be counted.`)
  }
  if (prefix.length > MOST_PARTS) {
    throw new UnsupportedSchema(below(path, 'prefixItems'), `More than ${MOST_PARTS} are not supported.`)
  }
  if (max === 0) return bracketed('[', choice(), true)
  const declared = prefix.slice(0, max).map((item) => compiler.value(item))
  const rest = compiler.value(items)
  const least = Math.max(declared.length, 1)
  const isFull = max <= least
  let tail = isFull ? EMPTY : compiler.rules.times(following(rest), Math.max(0, min - least), max - least)
  for (let at = declared.length - 1; at > 0; at--) {
    const item = sequence(following(declared[at] as Expression), tail)
    // A rule of its own each: otherwise a long tuple is a deep one.
    tail = at < min ? item : compiler.rules.add('more', optional(item))
  }
  return bracketed('[', sequence(declared[0] ?? rest, tail), min === 0)
}
