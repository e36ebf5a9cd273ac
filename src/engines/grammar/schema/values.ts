import type { Slices } from '../../../shared/slices.js'
import { allowsText } from '../regex/automaton.js'
import type { Compiler } from './compiler.js'
import type { EnforcedPatterns } from './enforced-patterns.js'
import { ANYTHING } from './located.js'
import type { Relax } from './relaxations.js'
import type { Shape, Sourced } from './shape.js'
import type { JsonType } from './types.js'

/** Returns the type of a JSON value, by its name in schemas. */
export function typeOf(value: unknown): JsonType | undefined {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return (['boolean', 'object', 'string'] as const).find((type) => type === typeof value)
}

/** Filters the listed values by the rest of the schema. */
export function* allowedValues(
  shape: Shape,
  { relax, patterns, isPauseDue }: Pick<Compiler, 'relax' | 'patterns' | 'isPauseDue'>,
): Slices<readonly unknown[]> {
  const values = shape.values ?? []
  const matches = values.some((value) => typeof value === 'string')
    ? yield* matcherFor(shape, relax, patterns)
    : () => true
  const allowed: unknown[] = []
  for (const value of values) {
    if (isAllowed(value, shape, matches)) allowed.push(value)
    if (isPauseDue(1)) yield
  }
  return allowed
}

type TextCheck = (text: string) => boolean

/** Returns a test of a text against the required and the forbidden patterns. */
function* matcherFor({ patterns, notPatterns }: Shape, relax: Relax, known: EnforcedPatterns): Slices<TextCheck> {
  // Not by JavaScript's own engine, which a pattern could occupy forever.
  function* checksOf(all: readonly Sourced<string>[], isForbidden: boolean): Slices<TextCheck[]> {
    const checks: TextCheck[] = []
    for (const pattern of all.flatMap((source) => known.read(source, relax))) {
      const automaton = yield* known.automatonOf(pattern)
      if (automaton === undefined) relax(pattern.path, "This 'pattern' is too large to be enforced beside 'enum'.")
      else checks.push((text) => allowsText(automaton, text) !== isForbidden)
    }
    return checks
  }
  const checks = [...(yield* checksOf(patterns, false)), ...(yield* checksOf(notPatterns, true))]
  return (text) => checks.every((check) => check(text))
}

function isAllowed(value: unknown, shape: Shape, matches: TextCheck): boolean {
  const type = typeOf(value)
  if (type === undefined || shape.excluded.includes(value)) return false
  if (!shape.types.has(type) && !(type === 'integer' && shape.types.has('number'))) return false
  if (typeof value === 'string') return matches(value) && hasAllowedLength(value, shape)
  if (typeof value === 'number') return isAllowedNumber(value, shape)
  // Shapes of their own enforce further constraints of arrays and objects.
  return true
}

function hasAllowedLength(value: string, { minLength, maxLength }: Shape): boolean {
  // Counted only if necessary, since a text may be long.
  if (minLength === 0 && value.length <= maxLength) return true
  const length = Array.from(value).length
  return length >= minLength && length <= maxLength
}

function isAllowedNumber(value: number, { low, high, isFractional, multiples }: Shape): boolean {
  if (isFractional && Number.isInteger(value)) return false
  const isInside = value >= low.value && value <= high.value
  const isAtBound = (value === low.value && low.isExclusive) || (value === high.value && high.isExclusive)
  return isInside && !isAtBound && multiples.every((multiple) => Number.isInteger(value / multiple.value))
}

/** Whether an array or an object has no constraint besides its type. */
export function saysNothingOf(type: 'array' | 'object', shape: Shape): boolean {
  if (type === 'array') {
    return (
      shape.prefix.length === 0 &&
      shape.items === ANYTHING &&
      shape.minItems === 0 &&
      shape.maxItems === Number.POSITIVE_INFINITY
    )
  }
  return (
    shape.properties.size === 0 &&
    shape.additional === ANYTHING &&
    shape.patterned.length === 0 &&
    shape.required.size === 0 &&
    shape.some.length === 0 &&
    shape.names === ANYTHING &&
    shape.minProperties === 0 &&
    shape.maxProperties === Number.POSITIVE_INFINITY
  )
}
