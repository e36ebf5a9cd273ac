import type { Slices } from '../../slices.js'
import type { Expression, Grammar } from '../expression.js'
import type { Range } from '../ranges.js'
import type { SharedRules } from '../rules.js'

/** So many rules are written in one piece. */
const SLICE = 200

/**
 * A grammar as text, one rule a line, `root` first.
 *
 * llama.cpp, xgrammar and llguidance read it alike. They differ in escapes, so characters are written as they are but for
 * those that mean something, and no escape stands before a hexadecimal digit. No text of a client's can end a literal.
 *
 * @param shared - those of its rules that were written before
 */
export function* writeGbnf(grammar: Grammar, shared: readonly SharedRules[] = []): Slices<string> {
  const isShared = (name: string): boolean => shared.some(({ all }) => all.has(name))
  const own = shared.length === 0 ? grammar : new Map(Array.from(grammar).filter(([name]) => !isShared(name)))
  const root = new Map([['root', grammar.get('root') as Expression]])
  const written = yield* writeRules(new Map([...root, ...own]))
  return written + shared.map(({ gbnf }) => gbnf).join('')
}

/** Rules as GBNF, in their order. */
export function* writeRules(rules: Grammar): Slices<string> {
  const lines: string[] = []
  for (const [name, expression] of rules) {
    lines.push(`${name} ::= ${write(expression, 'rule')}\n`)
    if (lines.length % SLICE === 0) yield
  }
  return lines.join('')
}

/** Where an expression stands, which says whether it needs brackets. */
type Place = 'rule' | 'sequence' | 'repeat'

function write(expression: Expression, place: Place): string {
  switch (expression.kind) {
    case 'text':
      return literal(expression.text, place)
    case 'class':
      return writeClass(expression.ranges)
    case 'rule':
      return expression.name
    case 'repeat':
      return place === 'repeat' ? `(${writeRepeat(expression)})` : writeRepeat(expression)
    case 'sequence': {
      if (expression.of.length === 0) return place === 'repeat' ? '("")' : '""'
      const parts = expression.of.map((part) => write(part, 'sequence')).join(' ')
      return place === 'repeat' ? `(${parts})` : parts
    }
    case 'choice': {
      const parts = expression.of.map((part) => write(part, 'rule')).join(' | ')
      return place === 'rule' ? parts : `(${parts})`
    }
  }
}

function writeRepeat({ of, min, max }: Expression & { kind: 'repeat' }): string {
  return `${write(of, 'repeat')}${times(min, max)}`
}

function times(min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`
  if (min === 0 && max === 1) return '?'
  return min === max ? `{${min}}` : `{${min},${max}}`
}

/**
 * A text in quotes. Where a hexadecimal escape stands before a hexadecimal digit, the text goes on in quotes of its own:
 * xgrammar reads every such digit after `\x`, and would take both for another character.
 */
function literal(text: string, place: Place): string {
  if (/^[ !#-[\]-~]*$/.test(text)) return place === 'repeat' && text.length > 1 ? `("${text}")` : `"${text}"`
  let written = ''
  let isOpen = false
  let isOne = true
  for (const character of text) {
    if (isOpen && HEX_DIGIT.test(character)) written += '" "'
    isOne &&= written === ''
    isOpen = false
    if (character === '"' || character === '\\') written += `\\${character}`
    else if (isPlain(character.codePointAt(0) as number)) written += character
    else {
      written += escaped(character.codePointAt(0) as number)
      isOpen = true
    }
  }
  return place === 'repeat' && !isOne ? `("${written}")` : `"${written}"`
}

const HEX_DIGIT = /[0-9A-Fa-f]/

/** The characters between brackets: those with escapes last, so that none stands before a digit. */
function writeClass(ranges: readonly Range[]): string {
  const written = ranges.flatMap((range) => writeRange(range) ?? [])
  // No character at all: half a surrogate pair, which no text has.
  if (written.length === 0) return '[\\uD800-\\uDFFF]'
  const isEscaped = (text: string): boolean => text.includes('\\')
  return `[${[...written.filter((text) => !isEscaped(text)), ...written.filter(isEscaped)].join('')}]`
}

/** Undefined for half a surrogate pair, which no UTF-8 text has. */
function writeRange([first, last]: Range): string | undefined {
  const low = first >= 0xd800 && first <= 0xdfff ? 0xe000 : first
  const high = last >= 0xd800 && last <= 0xdfff ? 0xd7ff : last
  if (low > high) return undefined
  return low === high ? inClass(low) : `${inClass(low)}-${inClass(high)}`
}

/** A bracket, a hyphen, a caret and a backslash mean something here. */
function inClass(code: number): string {
  const character = String.fromCodePoint(code)
  return isPlain(code) && !/^[[\]\\^-]$/.test(character) ? character : escaped(code)
}

/** Whether a character is written as it is: none that controls, separates lines, or is half of a pair. */
function isPlain(code: number): boolean {
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return false
  return code !== 0x2028 && code !== 0x2029 && code !== 0xfeff && !(code >= 0xd800 && code <= 0xdfff)
}

function escaped(code: number): string {
  const digits = code.toString(16).toUpperCase()
  if (code <= 0xff) return `\\x${digits.padStart(2, '0')}`
  return code <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`
}
