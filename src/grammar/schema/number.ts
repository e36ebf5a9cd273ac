import { choice, type Expression, text } from '../expression.js'
import { multiplesByEnding, numbers, wholeNumbers } from '../number.js'
import { UnsupportedSchema } from '../unsupported-schema.js'
import { below } from './keywords.js'
import type { Bound, Shape } from './shape.js'

/** So many multiples are listed one by one. */
const MOST_MULTIPLES = 1000
const MOST_DECIMALS = 9

/** The whole numbers that a shape allows. */
export function integerText({ low, high, multiples, path }: Shape): Expression {
  const from = wholeBound(low, Math.ceil(low.value), 1)
  const to = wholeBound(high, Math.floor(high.value), -1)
  const [multiple, ...others] = multiples.filter(({ value }) => value !== 1)
  if (multiple === undefined) return wholeNumbers({ low: from, high: to })
  const step = multiple.value
  if (others.length > 0 || !Number.isSafeInteger(step) || step < 1) {
    throw new UnsupportedSchema(multiple.path, "This 'multipleOf' cannot be enforced.")
  }
  return multiplesOf(step, from, to, below(path, 'multipleOf'))
}

function multiplesOf(step: number, from: number, to: number, at: string): Expression {
  const [first, last] = [Math.ceil(from / step), Math.floor(to / step)]
  if (last - first < MOST_MULTIPLES) {
    return choice(...Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => text(String((first + n) * step))))
  }
  const width = [1, 2, 3].find((digits) => 10 ** digits % step === 0)
  if (width === undefined) {
    const message = "This 'multipleOf' can be enforced only with a 'minimum' and a 'maximum' that are close."
    throw new UnsupportedSchema(at, message)
  }
  return multiplesByEnding(step, width, { low: from, high: to })
}

function wholeBound(bound: Bound, value: number, inside: 1 | -1): number {
  if (!Number.isFinite(value)) return value
  if (!Number.isSafeInteger(value)) throw new UnsupportedSchema(bound.path, 'The bound is too large to be enforced.')
  return (bound.isOut && value === bound.value ? value + inside : value) + 0
}

/** The numbers that a shape allows, whole or not. */
export function numberText({ low, high, multiples }: Shape): Expression {
  const [multiple] = multiples
  if (multiple !== undefined) {
    throw new UnsupportedSchema(multiple.path, "'multipleOf' can be enforced for integers only.")
  }
  const decimals = Math.max(decimalsOf(low), decimalsOf(high))
  for (const bound of [low, high]) {
    const isExact = !Number.isFinite(bound.value) || Number.isSafeInteger(Math.round(bound.value * 10 ** decimals))
    if (!isExact) throw new UnsupportedSchema(bound.path, 'The bound is too large to be enforced.')
  }
  return numbers({ low: low.value, high: high.value, isLowOut: low.isOut, isHighOut: high.isOut }, decimals)
}

function decimalsOf({ value, path }: Bound): number {
  if (!Number.isFinite(value)) return 0
  const [, decimals = ''] = String(value).split('.')
  if (decimals.length > MOST_DECIMALS || String(value).includes('e')) {
    throw new UnsupportedSchema(path, `A bound may have at most ${MOST_DECIMALS} decimals.`)
  }
  return decimals.length
}
