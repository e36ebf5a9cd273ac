import type { Slices } from '../../slices.js'
import type { Expression, Grammar } from '../expression.js'
import type { Range } from '../ranges.js'

/** So many rules are written in one piece. */
const SLICE = 200

/**
 * A grammar as text, one rule a line, `root` first.
 *
 * All but plain ASCII is escaped, with those escapes that llama.cpp reads: no text of a client's can end a literal.
 */
export function* writeGbnf(grammar: Grammar): Slices<string> {
  const lines: string[] = []
  const writeRule = (name: string): unknown =>
    lines.push(`${name} ::= ${write(grammar.get(name) as Expression, 'rule')}\n`)
  writeRule('root')
  for (const name of grammar.keys()) {
    if (name !== 'root') writeRule(name)
    if (lines.length % SLICE === 0) yield
  }
  return lines.join('')
}

/** Where an expression stands, which says whether it needs brackets. */
type Place = 'rule' | 'sequence' | 'repeat'

function write(expression: Expression, place: Place): string {
  switch (expression.kind) {
    case 'text':
      return place === 'repeat' && expression.text.length > 1
        ? `(${literal(expression.text)})`
        : literal(expression.text)
    case 'class':
      return `[${expression.ranges.map(writeRange).join('')}]`
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

function literal(text: string): string {
  if (/^[ !#-[\]-~]*$/.test(text)) return `"${text}"`
  const characters = Array.from(text, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`
    return character >= ' ' && character <= '~' ? character : escaped(character.codePointAt(0) as number)
  })
  return `"${characters.join('')}"`
}

function writeRange([first, last]: Range): string {
  return first === last ? inClass(first) : `${inClass(first)}-${inClass(last)}`
}

/** Letters and digits as they are; the rest escaped, because a bracket, a hyphen or a caret means something here. */
function inClass(code: number): string {
  const character = String.fromCodePoint(code)
  return /^[0-9A-Za-z]$/.test(character) ? character : escaped(code)
}

function escaped(code: number): string {
  const digits = code.toString(16).toUpperCase()
  if (code <= 0xff) return `\\x${digits.padStart(2, '0')}`
  return code <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`
}
