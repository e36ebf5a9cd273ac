import { type Digit, digitPatterns } from './digits.js'
import { choice, EMPTY, type Expression, oneOf, optional, repeat, sequence, text } from './expression.js'
import { complement, contains, intersection, LAST_CODE_POINT, normalRanges, type Range, rangesOf } from './ranges.js'
import type { Rules } from './rules.js'
import { sharedRules } from './shared-rules.js'

/** At most one blank, where JSON allows any number: a model could otherwise write blanks forever. */
export const BLANK: Expression = optional(text(' '))
export const ANY_CHARACTER: readonly Range[] = [[0, LAST_CODE_POINT]]

const ESCAPED: readonly Range[] = normalRanges([[0, 0x1f], ...rangesOf('"\\')])
const PLAIN: readonly Range[] = complement(ESCAPED)
const SHORT: readonly (readonly [escape: string, character: string])[] = [
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]
/** Control characters without a short escape. */
const LONG_CONTROLS: readonly number[] = Array.from({ length: 32 }, (_, code) => code).filter(
  (code) => !SHORT.some(([, character]) => character.charCodeAt(0) === code),
)
const FIRST_ASTRAL = 0x10000

/** The spellings of a character: itself, or the text after a backslash. */
interface Spelling {
  readonly plain: readonly Range[]
  /** Undefined if none of them has an escape. */
  readonly escaped: Expression | undefined
}

/**
 * Returns one character of a JSON string from these ranges, plain or in any of its escapes. Excludes halves of
 * surrogate pairs, which many parsers refuse.
 */
export function jsonCharacter(ranges: readonly Range[], rules: Rules): Expression {
  if (ranges === ANY_CHARACTER) return rules.include(CHARACTER())
  return rules.once(`character ${JSON.stringify(ranges)}`, 'char', () => eitherOf(jsonSpelling(ranges)))
}

const CHARACTER = sharedRules('character', () => eitherOf(jsonSpelling(ANY_CHARACTER)))
const CHARACTERS = sharedRules('characters', (rules) => anyNumber(jsonSpelling(ANY_CHARACTER), rules))

/** Returns a number of characters of a JSON string from these ranges. */
export function jsonCharacters(ranges: readonly Range[], rules: Rules, min: number, max: number): Expression {
  const one = (): Expression => jsonCharacter(ranges, rules)
  if (max < Number.POSITIVE_INFINITY) return rules.times(one(), min, max)
  const rest =
    ranges === ANY_CHARACTER
      ? rules.include(CHARACTERS())
      : rules.once(`characters ${JSON.stringify(ranges)}`, 'chars', () => anyNumber(jsonSpelling(ranges), rules))
  return min === 0 ? rest : sequence([rules.times(one(), min, min), rest])
}

function jsonSpelling(ranges: readonly Range[]): Spelling {
  const short = SHORT.filter(([, character]) => contains(ranges, character.charCodeAt(0))).map(([letter]) => letter)
  const basic = intersection(ranges, [[0, FIRST_ASTRAL - 1]]).flatMap(([low, high]) => hexNumbers(low, high))
  const astral = intersection(ranges, [[FIRST_ASTRAL, LAST_CODE_POINT]]).flatMap(surrogatePairs)
  const long = [...basic, ...astral].map((number) => sequence([text('u'), number]))
  const escapes = [oneOf(rangesOf(short.join(''))), ...long]
  return { plain: intersection(ranges, PLAIN), escaped: choice(escapes) }
}

/** Returns one character from these ranges, spelled like JSON.stringify: with necessary escapes only. */
export function spelledCharacter(ranges: readonly Range[], rules: Rules): Expression {
  if (intersection(ranges, ESCAPED).length === 0) return oneOf(ranges)
  return rules.once(`spelled ${JSON.stringify(ranges)}`, 'char', () => eitherOf(plainSpelling(ranges, rules)))
}

function plainSpelling(ranges: readonly Range[], rules: Rules): Spelling {
  const plain = intersection(ranges, PLAIN)
  const inside = intersection(ranges, ESCAPED)
  if (inside.length === 0) return { plain, escaped: undefined }
  if (areSame(inside, ESCAPED)) return { plain, escaped: rules.include(ESCAPE()) }
  const short = SHORT.filter(([letter, character]) => letter !== '/' && contains(inside, character.charCodeAt(0)))
  const controls = LONG_CONTROLS.filter((code) => contains(inside, code))
  return { plain, escaped: escapes(short, controls) }
}

function areSame(ones: readonly Range[], others: readonly Range[]): boolean {
  return (
    ones.length === others.length &&
    ones.every(([first, last], at) => first === others[at]?.[0] && last === others[at]?.[1])
  )
}

function escapes(short: typeof SHORT, controls: readonly number[]): Expression {
  // Together, by their last digit: with one by one, xgrammar takes three times as long to compile the rest of a name.
  const long = [0, 1].flatMap((third) => {
    const last = controls.filter((code) => code >> 4 === third).map((code) => (code & 15).toString(16))
    const digits = oneOf(rangesOf(last.join('') + last.join('').toUpperCase()))
    return last.length === 0 ? [] : [sequence([text(`u00${third}`), digits])]
  })
  return choice([oneOf(rangesOf(short.map(([letter]) => letter).join(''))), ...long])
}

/** The text after the backslash in escapes of JSON.stringify. */
const ESCAPE = sharedRules('escape', () =>
  escapes(
    SHORT.filter(([letter]) => letter !== '/'),
    LONG_CONTROLS,
  ),
)

function eitherOf({ plain, escaped }: Spelling): Expression {
  return choice([oneOf(plain), ...(escaped === undefined ? [] : [sequence([text('\\'), escaped])])])
}

/**
 * Returns any number of characters: runs of plain ones, with escapes between. With a repeated choice of the two
 * instead, xgrammar 0.2 takes 92 ms for the mask of each token rather than 0.01.
 */
function anyNumber({ plain, escaped }: Spelling, rules: Rules): Expression {
  const run = plain.length === 0 ? EMPTY : repeat(oneOf(plain), 0, Number.POSITIVE_INFINITY)
  if (escaped === undefined) return run
  const next = rules.add('escaped', sequence([text('\\'), escaped, run]))
  return sequence([run, repeat(next, 0, Number.POSITIVE_INFINITY)])
}

/** Returns any text inside a JSON string, spelled like JSON.stringify. */
export function spelledText(rules: Rules): Expression {
  return rules.include(SPELLED_TEXT())
}

const SPELLED_TEXT = sharedRules('text', (rules) => anyNumber(plainSpelling(ANY_CHARACTER, rules), rules))

/** Returns a JSON string with this content. */
export function quoted(inner: Expression): Expression {
  return sequence([QUOTE, inner, QUOTE])
}

const QUOTE = text('"')

/** Returns any string with a length in this range. */
export function anyString(rules: Rules, min = 0, max: number = Number.POSITIVE_INFINITY): Expression {
  if (min === 0 && max === Number.POSITIVE_INFINITY) return rules.include(STRING())
  return rules.once(`string ${min} ${max}`, 'string', () => quoted(jsonCharacters(ANY_CHARACTER, rules, min, max)))
}

const STRING = sharedRules('string', (rules) =>
  quoted(jsonCharacters(ANY_CHARACTER, rules, 0, Number.POSITIVE_INFINITY)),
)

/** Returns `[` ITEM `, ` ITEM `]` around the given content. */
export function bracketed(open: '{' | '[', inner: Expression, canBeEmpty: boolean): Expression {
  const close = open === '{' ? '}' : ']'
  const full = sequence([text(open), BLANK, inner, BLANK, text(close)])
  return canBeEmpty ? choice([sequence([text(open), BLANK, text(close)]), full]) : full
}

/** Returns an item with the comma before it. */
export function following(item: Expression): Expression {
  return sequence([COMMA, BLANK, item])
}

const COMMA = text(',')

function hexNumbers(low: number, high: number): Expression[] {
  return digitPatterns(low, high, 4, 16).map((digits) => sequence(digits.map(hexDigit)))
}

function hexDigit([min, max]: Digit): Expression {
  const ranges: Range[] = []
  if (min < 10) ranges.push([0x30 + min, 0x30 + Math.min(9, max)])
  if (max >= 10) {
    const [first, last] = [Math.max(10, min) - 10, max - 10]
    for (const letter of [0x41, 0x61]) ranges.push([letter + first, letter + last])
  }
  return oneOf(ranges)
}

/** Returns both halves of the pairs that spell the characters of a range. */
function surrogatePairs([first, last]: Range): Expression[] {
  const high = (code: number): number => 0xd800 + ((code - FIRST_ASTRAL) >> 10)
  const low = (code: number): number => 0xdc00 + ((code - FIRST_ASTRAL) & 0x3ff)
  const pairs = (from: number, to: number, [lowFrom, lowTo]: Range): Expression[] =>
    hexNumbers(from, to).map((half) => sequence([half, text('\\u'), choice(hexNumbers(lowFrom, lowTo))]))
  const [from, to] = [high(first), high(last)]
  const isWhole = low(first) === 0xdc00 && low(last) === 0xdfff
  if (from === to || isWhole) return pairs(from, to, [low(first), low(last)])
  return [
    ...pairs(from, from, [low(first), 0xdfff]),
    ...(from + 1 < to ? pairs(from + 1, to - 1, [0xdc00, 0xdfff]) : []),
    ...pairs(to, to, [0xdc00, low(last)]),
  ]
}
