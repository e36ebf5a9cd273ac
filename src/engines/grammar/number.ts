import { type Digit, digitPatterns } from './digits.js'
import { choice, EMPTY, type Expression, NEVER, oneOf, optional, repeat, sequence, text } from './expression.js'
import type { Range } from './ranges.js'

/** The limit of digits of an unbounded number: a model could otherwise write digits forever. */
const MAX_DIGITS = 21
/** The maximum number of decimals that JSON.stringify writes. */
const MAX_DECIMALS = 25
/** Numbers with at most this many digits survive rounding. */
const EXACT_DIGITS = 15
/** The decimals of the largest number, 1.7976931348623157e308: any above is read as Infinity. */
const LARGEST_DECIMALS = Array.from('7976931348623157')

/** A range from `low` to `high`, which may be infinite. The bounds are included unless marked otherwise. */
export interface Bounds {
  readonly low: number
  readonly high: number
  readonly isLowExclusive?: boolean
  readonly isHighExclusive?: boolean
}

/** Returns all whole numbers within bounds, which are whole or infinite. */
export function wholeNumbers({ low, high }: Pick<Bounds, 'low' | 'high'>): Expression {
  const negative = sequence([text('-'), naturals(Math.max(1, -high), -low)])
  return choice([low < 0 ? negative : NEVER, high < 0 ? NEVER : naturals(Math.max(0, low), high)])
}

/** Returns whole numbers of at least 0, without leading zeros. */
function naturals(low: number, high: number): Expression {
  if (low > high) return NEVER
  const width = String(low).length
  const last = Math.min(high, 10 ** width - 1)
  const ofWidth = digitPatterns(low, last, width, 10).map(digits)
  if (high === Number.POSITIVE_INFINITY) {
    return choice([...ofWidth, sequence([digits([[1, 9]]), times(width, MAX_DIGITS - 1)])])
  }
  return high === last ? choice(ofWidth) : choice([...ofWidth, naturals(last + 1, high)])
}

/** Returns the multiples of a divisor of ten to the power of `width` within bounds, by their last digits. */
export function multiplesByEnding(
  step: number,
  width: number,
  { low, high }: Pick<Bounds, 'low' | 'high'>,
): Expression {
  const negative = sequence([text('-'), multiplesFrom(step, width, Math.max(1, -high), -low)])
  return choice([low < 0 ? negative : NEVER, multiplesFrom(step, width, Math.max(0, low), high)])
}

function multiplesFrom(step: number, width: number, low: number, highest: number): Expression {
  const unit = 10 ** width
  const high = Math.min(highest, 10 ** EXACT_DIGITS - 1)
  const listed = (from: number, to: number): Expression[] => {
    const first = Math.ceil(from / step)
    const count = Math.max(0, Math.floor(to / step) - first + 1)
    return Array.from({ length: count }, (_, index) => text(String((first + index) * step)))
  }
  // The digits before the last ones, if those may be any of the endings.
  const from = Math.max(1, Math.ceil(low / unit))
  const to = Math.floor((high + 1) / unit) - 1
  if (from > to) return choice(listed(low, high))
  const endings = Array.from({ length: unit / step }, (_, n) => text(String(n * step).padStart(width, '0')))
  const whole = sequence([naturals(from, to), choice(endings)])
  return choice([...listed(low, from * unit - 1), whole, ...listed((to + 1) * unit, high)])
}

/** Returns all numbers within bounds, as JSON.stringify writes them. */
export function numbers(bounds: Bounds, decimals: number): Expression {
  const { low, high, isLowExclusive = false, isHighExclusive = false } = bounds
  const negative = magnitudes(
    { low: -high, high: -low, isLowExclusive: isHighExclusive, isHighExclusive: isLowExclusive },
    decimals,
  )
  return choice([sequence([text('-'), negative]), magnitudes(bounds, decimals)])
}

/** Returns all numbers that are not whole. */
export function fractions(): Expression {
  const decimals = sequence([
    repeat(text('0'), 0, MAX_DECIMALS - 1),
    digits([[1, 9]]),
    repeat(digits([[0, 9]]), 0, MAX_DECIMALS - 1),
  ])
  const plain = sequence([naturals(0, Number.POSITIVE_INFINITY), text('.'), decimals])
  const small = sequence([
    digits([[1, 9]]),
    optional(sequence([text('.'), times(1, 17)])),
    text('e-'),
    naturals(7, 307),
  ])
  return sequence([optional(text('-')), choice([plain, small])])
}

/** Returns the non-negative part of the bounds. @param decimals - the maximum number of decimals of the bounds */
function magnitudes(bounds: Bounds, decimals: number): Expression {
  const { high, isHighExclusive = false } = bounds
  const low = Math.max(0, bounds.low)
  const isLowExclusive = bounds.low >= 0 && bounds.isLowExclusive === true
  if (high < 0 || low > high) return NEVER
  const isOpen = high === Number.POSITIVE_INFINITY
  const max =
    isLowExclusive || isHighExclusive ? EXACT_DIGITS - (isOpen ? wholeLength(low) : wholeLength(high)) : MAX_DECIMALS
  const unit = 10 ** decimals
  const [from, to] = [Math.round(low * unit), isOpen ? high : Math.round(high * unit)]
  const scaled: Scaled[] = []
  for (let places = 0; places < decimals; places++) {
    const step = 10 ** (decimals - places)
    const first = isLowExclusive ? Math.floor(from / step) + 1 : Math.ceil(from / step)
    const last = isHighExclusive ? Math.ceil(to / step) - 1 : Math.floor(to / step)
    scaled.push({ first, last, places, tail: EMPTY })
  }
  const any = fraction(decimals, max)
  const zeros = fraction(decimals, max, [[0, 0]])
  // A number consists of its first decimals, which are compared, and further ones, which matter only at the bounds.
  const inner = { first: isLowExclusive ? from + 1 : from, last: isOpen ? to : to - 1, places: decimals, tail: any }
  if (isLowExclusive && from < to)
    scaled.push({ first: from, last: from, places: decimals, tail: aboveZero(decimals, max) })
  scaled.push(inner)
  if (!isOpen && !isHighExclusive && (!isLowExclusive || from < to)) {
    scaled.push({ first: to, last: to, places: decimals, tail: zeros })
  }
  return choice([...scaled.map(writeScaled), ...exponents(low, high, isLowExclusive)])
}

/** The numbers from `first` to `last`, divided by ten `places` times, followed by further decimals. */
interface Scaled {
  readonly first: number
  readonly last: number
  readonly places: number
  readonly tail: Expression
}

function writeScaled({ first, last, places, tail }: Scaled): Expression {
  if (first > last) return NEVER
  if (places === 0) return sequence([naturals(first, last), tail])
  const unit = 10 ** places
  const parts: Expression[] = []
  const wholeFrom = Math.ceil(first / unit)
  const wholeTo = last === Number.POSITIVE_INFINITY ? last : Math.floor((last + 1) / unit) - 1
  const some = (whole: number, from: number, to: number): void => {
    const patterns = digitPatterns(from, to, places, 10).map(digits)
    parts.push(sequence([text(`${whole}.`), choice(patterns), tail]))
  }
  const [firstWhole, lastWhole] = [Math.floor(first / unit), Math.floor(last / unit)]
  if (firstWhole === lastWhole && wholeFrom > wholeTo) {
    some(firstWhole, first % unit, last % unit)
    return choice(parts)
  }
  if (first % unit !== 0) some(firstWhole, first % unit, unit - 1)
  if (wholeFrom <= wholeTo) {
    parts.push(sequence([naturals(wholeFrom, wholeTo), text('.'), times(places, places), tail]))
  }
  if (last !== Number.POSITIVE_INFINITY && (last + 1) % unit !== 0) some(lastWhole, 0, last % unit)
  return choice(parts)
}

/** Returns further decimals after `places` of them: after none, they begin with the point. */
function fraction(places: number, max: number, digit: readonly Digit[] = [[0, 9]]): Expression {
  const each = digits(digit)
  if (places > 0) return repeat(each, 0, Math.max(0, max - places))
  return optional(sequence([text('.'), repeat(each, 1, Math.max(1, max))]))
}

/** Returns decimals of which at least one is not zero. */
function aboveZero(places: number, max: number): Expression {
  const left = Math.max(1, max - places)
  const some = sequence([
    repeat(digits([[0, 0]]), 0, left - 1),
    digits([[1, 9]]),
    repeat(digits([[0, 9]]), 0, left - 1),
  ])
  return places > 0 ? some : sequence([text('.'), some])
}

/** Returns the numbers that JSON.stringify writes with an exponent: below 0.000001, and from 1e21 on. */
function exponents(low: number, high: number, isLowExclusive: boolean): Expression[] {
  const mantissa = sequence([digits([[1, 9]]), optional(sequence([text('.'), times(1, 17)]))])
  const e = oneOf([ofCharacter('e'), ofCharacter('E')])
  // Smaller ones round to zero, which is excluded if the bound is.
  const small = sequence([mantissa, e, text('-'), naturals(7, isLowExclusive ? 307 : 324)])
  const sign = optional(text('+'))
  const largest = sequence([
    text('1'),
    optional(sequence([text('.'), decimalsUpTo(LARGEST_DECIMALS)])),
    e,
    sign,
    text('308'),
  ])
  const large = choice([sequence([mantissa, e, sign, naturals(21, 307)]), largest])
  return [
    ...(low === 0 && high >= 1e-6 ? [small] : []),
    ...(high === Number.POSITIVE_INFINITY && low <= 1e21 ? [large] : []),
  ]
}

/** The number of digits of one group. llguidance refuses some 30 groups within each other. */
const GROUP = 4

/** Returns at least one decimal, and at most those of `limit`: `0.<decimals>` is not above `0.<limit>`. */
function decimalsUpTo(limit: readonly string[]): Expression {
  const groups: Expression[] = []
  for (let at = 0; at < limit.length; at += GROUP) {
    const group = decimalsWithin(limit.slice(at, at + GROUP), limit.length - at)
    groups.push(sequence([text(limit.slice(0, at).join('')), group]))
  }
  return choice(groups)
}

/** Returns decimals that leave the limit within these digits, or end with them. @param max - how many there may be */
function decimalsWithin([first = '0', ...rest]: readonly string[], max: number): Expression {
  const below = first === '0' ? NEVER : sequence([digits([[0, Number(first) - 1]]), times(0, max - 1)])
  return choice([below, sequence([text(first), rest.length === 0 ? EMPTY : optional(decimalsWithin(rest, max - 1))])])
}

function wholeLength(value: number): number {
  return String(Math.floor(value)).length
}

function times(min: number, max: number): Expression {
  return repeat(digits([[0, 9]]), min, max)
}

function digits(pattern: readonly Digit[]): Expression {
  return sequence(pattern.map(([min, max]) => (min === max ? text(String(min)) : oneOf([[48 + min, 48 + max]]))))
}

function ofCharacter(character: string): Range {
  return [character.charCodeAt(0), character.charCodeAt(0)]
}
