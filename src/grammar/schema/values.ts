import type { Slices } from '../../slices.js'
import { allowsText } from '../regex/automaton.js'
import type { Compiler } from './compiler.js'
import type { HeldPatterns } from './held-patterns.js'
import { ANYTHING } from './located.js'
import type { Relax } from './relaxations.js'
import type { Said, Shape } from './shape.js'
import type { JsonType } from './types.js'

/** The type of a JSON value, as schemas call it. */
export function typeOf(value: unknown): JsonType | undefined {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return (['boolean', 'object', 'string'] as const).find((type) => type === typeof value)
}

/** Those of the listed values that are all that the rest of the schema says. */
export function* allowedValues(
  shape: Shape,
  { relax, patterns }: Pick<Compiler, 'relax' | 'patterns'>,
): Slices<readonly unknown[]> {
  const values = shape.values ?? []
  const matches = values.some((value) => typeof value === 'string')
    ? yield* matcherFor(shape, relax, patterns)
    : () => true
  return values.filter((value) => isAllowed(value, shape, matches))
}

type TextCheck = (text: string) => boolean

/** Whether a text matches the patterns that it has to, and none that it must not. */
function* matcherFor({ patterns, notPatterns }: Shape, relax: Relax, known: HeldPatterns): Slices<TextCheck> {
  // Never by JavaScript's own engine, which a pattern may take for ever.
  function* checksOf(all: readonly Said<string>[], isForbidden: boolean): Slices<TextCheck[]> {
    const checks: TextCheck[] = []
    for (const pattern of all.flatMap((said) => known.read(said, relax))) {
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
  // What else is said of arrays and objects is held by shapes of their own.
  return true
}

function hasAllowedLength(value: string, { minLength, maxLength }: Shape): boolean {
  // Not counted for nothing: a text may be long.
  if (minLength === 0 && value.length <= maxLength) return true
  const length = Array.from(value).length
  return length >= minLength && length <= maxLength
}

function isAllowedNumber(value: number, { low, high, isFractional, multiples }: Shape): boolean {
  if (isFractional && Number.isInteger(value)) return false
  const isInside = value >= low.value && value <= high.value
  const isAtBound = (value === low.value && low.isOut) || (value === high.value && high.isOut)
  return isInside && !isAtBound && multiples.every((multiple) => Number.isInteger(value / multiple.value))
}

/** Whether nothing is said of an array or an object but its type. */
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
