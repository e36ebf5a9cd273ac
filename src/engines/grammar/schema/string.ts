import type { Slices } from '../../../shared/slices.js'
import { choice, type Expression } from '../expression.js'
import { anyString, quoted } from '../json-text.js'
import { type Automaton, automatonOfLengths, automatonOfTexts } from '../regex/automaton.js'
import { automatonExpression } from '../regex/automaton-expression.js'
import { patternExpression } from '../regex/pattern-expression.js'
import { differenceOf, intersectionOf } from '../regex/product.js'
import { withLength } from '../regex/with-length.js'
import type { SharedRules } from '../rules.js'
import type { Compiler } from './compiler.js'
import type { EnforcedPattern, EnforcedPatterns } from './enforced-patterns.js'
import { formatExpression } from './format-expression.js'
import { FORMAT_TEXTS } from './format-texts.js'
import { FORMATS, SHORT_FORMATS, SHORT_TEXT } from './formats.js'
import { below } from './keywords.js'
import { otherText } from './other-text.js'
import type { Relax } from './relaxations.js'
import type { Shape, Sourced } from './shape.js'

/** The maximum required length: that of a shortest completion. */
const MAX_REQUIRED = 100_000
/** The maximum length that can be counted. */
const MAX_CHARACTERS = 2 ** 31

/** Returns the strings that a shape allows: once for equivalent shapes. */
export function* stringText(shape: Shape, compiler: Compiler): Slices<Expression> {
  const { minLength, maxLength, patterns, notPatterns, formats, excluded } = shape
  if (isAnyString(shape)) return anyString(compiler.rules)
  const values = [patterns, notPatterns, formats].map((all) => all.map(({ value }) => value))
  const key = JSON.stringify([minLength, maxLength, values, excluded])
  const known = compiler.strings.get(key)
  if (known !== undefined) return known
  let isWhole = true
  const relax: Relax = (path, message) => {
    isWhole = false
    compiler.relax(path, message)
  }
  const made = compiler.rules.add('string', yield* newText(shape, { ...compiler, relax }))
  // Relaxations are reported at each place.
  if (isWhole) compiler.strings.set(key, made)
  return made
}

function isAnyString({ minLength, maxLength, patterns, notPatterns, formats, excluded }: Shape): boolean {
  const isAnyLength = minLength === 0 && maxLength === Number.POSITIVE_INFINITY
  return isAnyLength && patterns.length + notPatterns.length + formats.length + excluded.length === 0
}

function* newText(shape: Shape, compiler: Compiler): Slices<Expression> {
  const { path } = shape
  const { rules, relax } = compiler
  const { min, max } = lengthsOf(shape, relax)
  if (min > max) return choice([])
  const known = formatAlone(shape)
  // The first grammar with a format creates its rules, which takes a slice of its own.
  if (known !== undefined) yield
  if (known !== undefined) return rules.include(yield* known())
  const enforced = patternsOf(shape, max, compiler.patterns, relax)
  const forbidden = shape.notPatterns.flatMap((pattern) => compiler.patterns.read(pattern, relax))
  const excluded = shape.excluded.filter((value) => typeof value === 'string')
  const [first, ...others] = enforced
  const isOnly = forbidden.length + excluded.length + others.length === 0
  if (first === undefined && isOnly) return anyString(rules, min, max)
  const exact = isOnly && first?.format !== undefined && (yield* formatExpression(first.format, { min, max }, rules))
  if (exact) return quoted(exact)
  const counted = first && withLength(first.pattern, min, max)
  if (counted !== undefined && isOnly) return quoted(patternExpression(counted, rules, 'json'))
  const untold = (): void => relax(path, 'The texts that are not allowed cannot be enforced here.')
  const isFree = enforced.length + forbidden.length === 0 && min === 0 && max === Number.POSITIVE_INFINITY
  if (isFree) return otherText(excluded, { rules, later: compiler.later, tooMany: untold })
  const automaton = yield* automatonFor(enforced, forbidden, excluded, [min, max], compiler)
  if (automaton !== undefined) return quoted(yield* automatonExpression(automaton, rules, 'json'))
  for (const other of [...others, ...forbidden]) relax(other.path, TOO_LARGE)
  if (excluded.length > 0) untold()
  if (first === undefined) return anyString(rules, min, max)
  if (counted === undefined) {
    const message = "This length cannot be enforced beside this 'pattern' or 'format'."
    if (min > 0) relax(below(path, 'minLength'), message)
    if (max < Number.POSITIVE_INFINITY) relax(below(path, 'maxLength'), message)
  }
  return quoted(patternExpression(counted ?? first.pattern, rules, 'json'))
}

/** Returns the rules of a string that is constrained by a format alone. */
function formatAlone(shape: Shape): (() => Slices<SharedRules>) | undefined {
  const { minLength, maxLength, patterns, notPatterns, formats, excluded } = shape
  const isAlone = minLength === 0 && maxLength === Number.POSITIVE_INFINITY
  const knownFormats = formats.filter(({ value }) => FORMAT_TEXTS.has(value))
  if (!isAlone || knownFormats.length !== 1 || patterns.length + notPatterns.length > 0) return undefined
  if (excluded.some((value) => typeof value === 'string')) return undefined
  return FORMAT_TEXTS.get((knownFormats[0] as Sourced<string>).value)
}

const TOO_LARGE = 'It is too large to be enforced beside the other keywords of the string.'

function lengthsOf({ minLength, maxLength, path }: Shape, relax: Relax): { min: number; max: number } {
  if (minLength > maxLength) return { min: 1, max: 0 }
  const isOver = maxLength > MAX_CHARACTERS && maxLength !== Number.POSITIVE_INFINITY
  if (minLength > MAX_REQUIRED) relax(below(path, 'minLength'), tooMany(MAX_REQUIRED))
  if (isOver) relax(below(path, 'maxLength'), tooMany(MAX_CHARACTERS))
  return { min: Math.min(minLength, MAX_REQUIRED), max: isOver ? Number.POSITIVE_INFINITY : maxLength }
}

const tooMany = (max: number): string => `More than ${max} characters cannot be counted.`

/** Returns the patterns that the whole string has to match. */
function patternsOf(
  { patterns, formats }: Shape,
  max: number,
  known: EnforcedPatterns,
  relax: Relax,
): readonly EnforcedPattern[] {
  const read = patterns.flatMap((pattern) => known.read(pattern, relax))
  // zod writes a pattern beside each of its formats, which is equivalent except for the calendar.
  const extraFormats = read.length === 0 ? formats : formats.filter(({ value }) => value === 'date')
  const named = extraFormats.flatMap((format) => {
    const source = (max <= SHORT_TEXT ? SHORT_FORMATS.get(format.value) : undefined) ?? FORMATS.get(format.value)
    return source === undefined ? [] : [known.readFormat(format, source)]
  })
  return [...read, ...named]
}

/**
 * Returns the texts that all of the patterns and none of the forbidden ones allow. Undefined if that takes too many
 * states.
 */
function* automatonFor(
  allowed: readonly EnforcedPattern[],
  forbidden: readonly EnforcedPattern[],
  excluded: readonly string[],
  [min, max]: readonly [number, number],
  { patterns, spend }: Pick<Compiler, 'patterns' | 'spend'>,
): Slices<Automaton | undefined> {
  const isCounted = min > 0 || max < Number.POSITIVE_INFINITY
  const ones: (Automaton | undefined)[] = []
  for (const pattern of allowed) ones.push(yield* patterns.automatonOf(pattern))
  if (isCounted) ones.push(automatonOfLengths(min, max))
  const others: (Automaton | undefined)[] = []
  for (const pattern of forbidden) others.push(yield* patterns.automatonOf(pattern))
  if (excluded.length > 0) others.push(automatonOfTexts(excluded))
  if (!areKnown(ones) || !areKnown(others)) return undefined
  const [first] = ones
  const one = first === undefined ? automatonOfLengths(0, Number.POSITIVE_INFINITY) : yield* intersectionOf(ones, spend)
  return one === undefined || others.length === 0 ? one : yield* differenceOf(one, others, spend)
}

function areKnown(automata: readonly (Automaton | undefined)[]): automata is readonly Automaton[] {
  return !automata.includes(undefined)
}
