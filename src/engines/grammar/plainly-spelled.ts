import type { Slices } from '../../shared/slices.js'
import {
  choice,
  collectNames,
  type Expression,
  type Grammar,
  mapped,
  oneOf,
  partsOf,
  rule,
  sequence,
  text,
  waysOf,
} from './expression.js'
import { freeWord } from './free-word.js'
import { rewriteGbnf } from './gbnf/rewrite-gbnf.js'
import { used, withContinuations } from './open-chains.js'
import { intersection, normalRanges, type Range } from './ranges.js'

/*
 * xgrammar inlines small rules into those that use them, and then visits one state per token. A character of a JSON
 * string with all of its escapes is not small: after a reference to it, and where it is counted, each mask took 15 to
 * 40 ms. Without the unnecessary escapes it took 0.01 to 0.1 ms (xgrammar 0.2.8).
 */

type Choice = Extract<Expression, { readonly kind: 'choice' }>
type Repeat = Extract<Expression, { readonly kind: 'repeat' }>

/**
 * The highest count for which a repetition becomes a rule for each number: xgrammar takes some 15 ms to compile each.
 */
const MAX_UNROLLED = 8
/** The maximum number of alternatives of a character. */
const MAX_INLINED = 3
/** The maximum number of ranges of a character. */
const MAX_RANGES = 16
/** Controls, whose escapes always stay, and halves of surrogate pairs, which are no characters. */
const NOT_PLAIN: readonly Range[] = [
  [0, 0x1f],
  [0xd800, 0xdfff],
]
/** The characters whose JSON escape is a single character instead of a number: a quote and a backslash. */
const ESCAPED: readonly Range[] = [
  [0x22, 0x22],
  [0x5c, 0x5c],
]
const ASTRAL: Range = [0x10000, 0x10ffff]
const HEX: readonly Range[] = [
  [0x30, 0x39],
  [0x41, 0x46],
  [0x61, 0x66],
]

/**
 * Returns a grammar in GBNF that allows the same JSON values, without escapes (`\u00e9`) of characters that need none,
 * and without counts of characters up to {@link MAX_UNROLLED}. A grammar that is too long or
 * cannot be read is returned unchanged.
 */
export function* plainlySpelled(gbnf: string): Slices<string> {
  return gbnf.includes('\\\\') ? yield* rewriteGbnf(gbnf, spelledPlainly) : gbnf
}

function spelledPlainly(grammar: Grammar): Grammar {
  const narrow = new Map<string, Expression>()
  for (const [name, expression] of grammar)
    narrow.set(
      name,
      mapped(expression, (one) => withoutEscapes(escaped(one, grammar))),
    )
  const counted = new Map<string, Expression>()
  const word = freeWord('count', grammar)
  for (const [name, expression] of narrow) {
    const whole = mapped(expression, (one) => unrolled(one, counted, narrow, word))
    counted.set(name, whole)
  }
  const all = new Map<string, Expression>()
  for (const [name, expression] of withContinuations(counted, freeWord('then', counted), (one) =>
    isCharacter(one, counted),
  )) {
    const whole = mapped(expression, (one) => inlined(one, narrow))
    all.set(name, whole)
  }
  return used(all)
}

/** Replaces a rule for a single character with that character. */
function inlined(expression: Expression, rules: ReadonlyMap<string, Expression>): Expression {
  if (expression.kind !== 'rule') return expression
  const found = throughAliases(expression, rules)
  return found !== undefined && isSmall(found) ? found : expression
}

function isCharacter(expression: Expression, rules: ReadonlyMap<string, Expression>): boolean {
  const found = throughAliases(expression, rules)
  return found?.kind === 'class' || hasEscape(found)
}

function isSmall(expression: Expression): boolean {
  if (expression.kind === 'class') return expression.ranges.length <= MAX_RANGES
  return expression.kind === 'text' || (hasEscape(expression) && expression.of.length <= MAX_INLINED)
}

/** Resolves a rule's name through rules that only refer to another. */
function throughAliases(expression: Expression, rules: ReadonlyMap<string, Expression>): Expression | undefined {
  const passed = new Set<string>()
  let found: Expression | undefined = expression
  while (found?.kind === 'rule' && !passed.has(found.name)) {
    passed.add(found.name)
    found = rules.get(found.name)
  }
  return found
}

/**
 * Inlines the alternatives after a backslash: with a reference there, xgrammar took 136 ms for the mask at the
 * beginning of a name, and 1 ms without.
 */
function escaped(expression: Expression, rules: ReadonlyMap<string, Expression>): Expression {
  if (expression.kind !== 'sequence') return expression
  const { of } = expression
  return sequence(
    of.map((part, at) => {
      const [before, after] = [of[at - 1], part.kind === 'rule' ? rules.get(part.name) : undefined]
      if (before?.kind !== 'text' || !before.text.endsWith('\\') || after?.kind !== 'choice') return part
      return after.of.length <= MAX_INLINED && after.of.every((way) => !hasRule(way)) ? after : part
    }),
  )
}

function hasRule(expression: Expression): boolean {
  const names: string[] = []
  collectNames(expression, names)
  return names.length > 0
}

/** Removes the escapes of characters that need none, or that have an escape of one letter. */
function withoutEscapes(expression: Expression): Expression {
  if (expression.kind !== 'choice' && expression.kind !== 'sequence') return expression
  const ways = waysOf(expression)
  // An unescaped quote ends a string.
  const unescaped = ways.flatMap((one) => (one.kind === 'text' && '"\\'.includes(one.text) ? [] : rangesOf(one)))
  const byLetter = intersection(ESCAPED, normalRanges(ways.flatMap(afterBackslash)))
  if (unescaped.length + byLetter.length === 0) return expression
  const plain = [...unescaped, ...NOT_PLAIN, ...byLetter]
  const left = choice(
    ways.flatMap((one): Expression[] => {
      const [first, second, ...others] = partsOf(one)
      if (first?.kind !== 'text' || !first.text.startsWith('\\')) return [one]
      if (first.text !== '\\' || second?.kind !== 'choice' || others.length > 0) return needed(one, plain, '\\')
      // xgrammar makes a rule of a group, which takes three times as long to compile.
      return second.of.flatMap((each) => needed(each, plain, '').map((way) => sequence([first, way])))
    }),
  )
  // Several escapes become alternatives of the enclosing choice.
  return expression.kind === 'sequence' && left.kind === 'choice' ? expression : left
}

/** Returns the characters that may follow the backslash of an escape and end it. */
function afterBackslash(escaped: Expression): readonly Range[] {
  const [first, second, ...others] = partsOf(escaped)
  if (first?.kind !== 'text' || others.length > 0) return []
  if (second === undefined)
    return first.text.length === 2 && first.text.startsWith('\\') ? rangesOf(text(first.text.slice(1))) : []
  if (first.text !== '\\') return []
  return second.kind === 'choice' ? second.of.flatMap(rangesOf) : rangesOf(second)
}

/** The characters that an expression of one character allows. */
function rangesOf(expression: Expression): readonly Range[] {
  if (expression.kind === 'class') return expression.ranges
  return expression.kind === 'text' && Array.from(expression.text).length === 1 ? [pointOf(expression.text)] : []
}

/** Returns the escapes that must stay: all with a letter, except `\/`; of the numeric ones, the control characters. */
function needed(escaped: Expression, plain: readonly Range[], start: '\\' | ''): Expression[] {
  if (escaped.kind === 'text' && escaped.text === `${start}/` && isWithin([pointOf('/')], plain)) return []
  const digits = digitsOf(escaped, `${start}u`)
  if (digits === undefined || !digits.every((one) => isWithin(one, HEX)) || !isPlain(digits, plain)) return [escaped]
  const controls = [[[0x30, 0x30]], [[0x30, 0x30]], [[0x30, 0x31]], HEX] as const
  const left = digits.map((one, at) => intersection(one, controls[at] ?? []))
  return left.some((one) => one.length === 0) ? [] : [sequence([text(`${start}u`), ...left.map((one) => oneOf(one))])]
}

/** The four digits of an escape by number, of the first half of a pair; undefined if it is something else. */
function digitsOf(escaped: Expression, start: string): readonly (readonly Range[])[] | undefined {
  const found: (readonly Range[])[] = []
  for (const part of partsOf(escaped)) {
    if (part.kind === 'text') for (const letter of part.text) found.push([pointOf(letter)])
    else if (part.kind === 'class') found.push(part.ranges)
    // Text after an escape is not part of a character.
    else return undefined
  }
  const isNumber = Array.from(start).every(
    (letter, at) => found[at]?.length === 1 && isWithin(found[at], [pointOf(letter)]),
  )
  const digits = found.slice(start.length, start.length + 4)
  return isNumber && digits.length === 4 ? digits : undefined
}

/** Whether all characters from the least to the greatest of these digits need no escape. */
function isPlain(digits: readonly (readonly Range[])[], plain: readonly Range[]): boolean {
  const min = Number.parseInt(digits.map((one) => letterOf(one[0]?.[0])).join(''), 16)
  const max = Number.parseInt(digits.map((one) => letterOf(one.at(-1)?.[1])).join(''), 16)
  const all: readonly Range[] = min >= 0xd800 && max <= 0xdfff ? [ASTRAL] : [[min, max]]
  return all.every((range) => isWithin([range], plain))
}

function isWithin(ranges: readonly Range[], others: readonly Range[]): boolean {
  const count = (all: readonly Range[]): number => all.reduce((sum, [first, last]) => sum + last - first + 1, 0)
  return count(intersection(ranges, normalRanges(others))) === count(ranges)
}

/**
 * Unrolls a counted repetition of characters, which xgrammar handles slowly, into a rule for each number. Each rule
 * includes the following expression, since xgrammar looks past the end of a rule again for each token.
 */
function unrolled(
  expression: Expression,
  all: Map<string, Expression>,
  rules: ReadonlyMap<string, Expression>,
  word: string,
): Expression {
  if (expression.kind !== 'sequence') return expression
  const of = [...expression.of]
  for (let at = of.length - 2; at >= 0; at--) {
    const [counted, after] = [of[at], of[at + 1]]
    if (counted?.kind !== 'repeat' || (after?.kind !== 'text' && after?.kind !== 'rule') || !isCounted(counted, rules))
      continue
    let next: Expression = after
    for (let left = counted.max; left > 0; left--) {
      const name = `${word}-${all.size}`
      const one = sequence([counted.of, next])
      all.set(name, left > counted.min ? choice([after, one]) : one)
      next = rule(name)
    }
    of.splice(at, 2, next)
  }
  return sequence(of)
}

function isCounted({ of, max }: Repeat, rules: ReadonlyMap<string, Expression>): boolean {
  return max > 1 && max <= MAX_UNROLLED && of.kind === 'rule' && hasEscape(rules.get(of.name))
}

function hasEscape(expression: Expression | undefined): expression is Choice {
  return (
    expression?.kind === 'choice' &&
    expression.of.some((one) => {
      const [first] = partsOf(one)
      return first?.kind === 'text' && first.text.startsWith('\\')
    })
  )
}

const pointOf = (letter: string): Range => [letter.codePointAt(0) as number, letter.codePointAt(0) as number]
const letterOf = (point = 0): string => String.fromCodePoint(point)
