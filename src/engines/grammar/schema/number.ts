import { choice, type Expression, text } from '../expression.js'
import { fractions, multiplesByEnding, numbers, wholeNumbers } from '../number.js'
import { sharedRules } from '../shared-rules.js'
import type { Compiler } from './compiler.js'
import type { Relax } from './relaxations.js'
import { ANY_SHAPE, type Bound, type Shape } from './shape.js'

/** The maximum number of multiples that are listed one by one. */
const MAX_MULTIPLES = 1000
const MAX_DECIMALS = 9

/** Returns the whole numbers that a shape allows. */
export function integerText(shape: Shape, { rules, relax }: Pick<Compiler, 'rules' | 'relax'>): Expression {
  return isFree(shape) ? rules.include(ANY_INTEGER()) : rules.add('integer', wholeText(shape, relax))
}

/** Returns the numbers that a shape allows, whole or not. */
export function numberText(shape: Shape, { rules, relax }: Pick<Compiler, 'rules' | 'relax'>): Expression {
  const isAny = isFree(shape) && !shape.isFractional
  return isAny ? rules.include(ANY_NUMBER()) : rules.add('number', decimalText(shape, relax))
}

/** Whether it has neither bounds nor multiples. */
function isFree({ low, high, multiples }: Shape): boolean {
  return !Number.isFinite(low.value) && !Number.isFinite(high.value) && multiples.length === 0
}

const INFINITE = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY }
const ANY_INTEGER = sharedRules('integer', () => wholeNumbers(INFINITE))
const ANY_NUMBER = sharedRules('number', () => numbers(INFINITE, 0))

function wholeText({ low, high, multiples }: Shape, relax: Relax): Expression {
  const from = wholeBound(low, Math.ceil(low.value), 1, relax)
  const to = wholeBound(high, Math.floor(high.value), -1, relax)
  const steps = multiples.filter(({ value }) => value !== 1)
  for (const { path } of steps.filter(({ value }) => !Number.isSafeInteger(value))) relax(path, UNENFORCED)
  const whole = steps.filter(({ value }) => Number.isSafeInteger(value))
  const step = whole.reduce((common, { value }) => leastCommonMultiple(common, value), 1)
  if (step === 1) return wholeNumbers({ low: from, high: to })
  const multiple = Number.isSafeInteger(step) ? multiplesOf(step, from, to) : undefined
  if (multiple !== undefined) return multiple
  for (const { path } of whole) relax(path, UNENFORCED)
  return wholeNumbers({ low: from, high: to })
}

const UNENFORCED = "This 'multipleOf' can be enforced only for integers, and between bounds that are close."

function leastCommonMultiple(one: number, other: number): number {
  let [divisor, rest] = [one, other]
  while (rest > 0) [divisor, rest] = [rest, divisor % rest]
  return (one / divisor) * other
}

function multiplesOf(step: number, from: number, to: number): Expression | undefined {
  const [first, last] = [Math.ceil(from / step), Math.floor(to / step)]
  if (last - first < MAX_MULTIPLES) {
    return choice(Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => text(String((first + n) * step))))
  }
  const width = [1, 2, 3].find((digits) => 10 ** digits % step === 0)
  return width === undefined ? undefined : multiplesByEnding(step, width, { low: from, high: to })
}

const TOO_LARGE = 'The bound is too large to be enforced.'

function wholeBound(bound: Bound, value: number, inside: 1 | -1, relax: Relax): number {
  if (!Number.isFinite(value)) return value
  if (!Number.isSafeInteger(value)) {
    relax(bound.path, TOO_LARGE)
    return -inside * Number.POSITIVE_INFINITY
  }
  return (bound.isExclusive && value === bound.value ? value + inside : value) + 0
}

function decimalText(shape: Shape, relax: Relax): Expression {
  const { multiples, isFractional } = shape
  if (isFractional && isFree(shape)) return fractions()
  if (isFractional) relax(shape.path, 'A number that is not an integer cannot be enforced beside bounds.')
  // Multiples of a whole number are whole.
  if (multiples.some(({ value }) => Number.isSafeInteger(value))) return wholeText(shape, relax)
  for (const { path } of multiples) relax(path, UNENFORCED)
  const [low, high] = [exactBound(shape.low, relax), exactBound(shape.high, relax)]
  let decimals = Math.max(decimalsOf(low), decimalsOf(high))
  const bounds = [low, high].map((bound, index) => {
    const isExact = !Number.isFinite(bound.value) || Number.isSafeInteger(Math.round(bound.value * 10 ** decimals))
    if (isExact) return bound
    relax(bound.path, TOO_LARGE)
    return index === 0 ? ANY_SHAPE.low : ANY_SHAPE.high
  })
  const [from, to] = bounds as [Bound, Bound]
  decimals = Math.max(decimalsOf(from), decimalsOf(to))
  return numbers(
    { low: from.value, high: to.value, isLowExclusive: from.isExclusive, isHighExclusive: to.isExclusive },
    decimals,
  )
}

/** Returns a bound that a grammar can express, or none. */
function exactBound(bound: Bound, relax: Relax): Bound {
  const { value, path } = bound
  if (!Number.isFinite(value) || decimalsOf(bound) <= MAX_DECIMALS) return bound
  relax(path, `A bound may have at most ${MAX_DECIMALS} decimals to be enforced.`)
  return path.endsWith('inimum') ? ANY_SHAPE.low : ANY_SHAPE.high
}

function decimalsOf({ value }: Bound): number {
  if (!Number.isFinite(value)) return 0
  const [digits, decimals = ''] = String(value).split('.')
  return `${digits}${decimals}`.includes('e') ? Number.POSITIVE_INFINITY : decimals.length
}
