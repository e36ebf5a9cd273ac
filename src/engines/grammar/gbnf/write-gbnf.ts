import type { Slices } from '../../../shared/slices.js'
import type { Expression, Grammar } from '../expression.js'
import type { Range } from '../ranges.js'
import type { SharedRules } from '../rules.js'

/** The number of characters that are written in one slice. */
const SLICE = 8_000

/**
 * Writes a grammar as text, one rule per line, `root` first.
 *
 * llama.cpp, xgrammar and llguidance read it alike. They differ in escapes, so only characters with a meaning are
 * escaped, and no escape precedes a hexadecimal digit. No text of a client can end a literal.
 *
 * @param shared - its last rules, which were written before
 */
export function* writeGbnf(grammar: Grammar, shared: readonly SharedRules[] = []): Slices<string> {
  const written = yield* writeRules(ownRules(grammar, shared))
  return written + shared.map(({ gbnf }) => gbnf).join('')
}

function* ownRules(grammar: Grammar, shared: readonly SharedRules[]): Generator<[string, Expression]> {
  yield ['root', grammar.get('root') as Expression]
  let left = shared.reduce((count, { all }) => count - all.size, grammar.size)
  for (const rule of grammar) {
    if (left-- === 0) return
    if (rule[0] !== 'root') yield rule
  }
}

/** Writes rules as GBNF, in their order. */
export function* writeRules(rules: Iterable<readonly [name: string, Expression]>): Slices<string> {
  const to = new Pieces()
  for (const [name, expression] of rules) {
    to.add(name)
    to.add(' ::= ')
    // A rule may be as long as the whole grammar: an enum, or an object with many properties.
    if (isLong(expression)) yield* writeLong(expression, 'rule', to)
    else write(expression, 'rule', to)
    to.add('\n')
    if (to.isPauseDue) yield
  }
  return to.text
}

/** An expression with more parts is long, and so is one with such a part. */
const MANY_PARTS = 50

/** @param levels - in how many levels below a long part is sought: an object has its properties in the second */
function isLong(expression: Expression, levels = 2): boolean {
  const parts = innerOf(expression)
  return parts.length > MANY_PARTS || (levels > 0 && parts.some((part) => isLong(part, levels - 1)))
}

function innerOf(expression: Expression): readonly Expression[] {
  return expression.kind === 'choice' || expression.kind === 'sequence' ? expression.of : NONE
}

const NONE: readonly Expression[] = []

/** Writes a choice or a sequence in slices. */
function* writeLong(expression: Expression, place: Place, to: Pieces): Slices<void> {
  const isChoice = expression.kind === 'choice'
  const isGroup = isChoice ? place !== 'rule' : place === 'repeat'
  if (isGroup) to.add('(')
  for (const [at, part] of innerOf(expression).entries()) {
    if (at > 0) to.add(isChoice ? ' | ' : ' ')
    if (isLong(part)) yield* writeLong(part, isChoice ? 'rule' : 'sequence', to)
    else write(part, isChoice ? 'rule' : 'sequence', to)
    if (to.isPauseDue) yield
  }
  if (isGroup) to.add(')')
}

/** Pieces of a text, joined slice by slice: each addition to a text would be an object. */
class Pieces {
  #pieces: string[] = []
  #length = 0
  #before = ''

  add(piece: string): void {
    this.#pieces.push(piece)
    this.#length += piece.length
  }

  /** Whether a slice was written since the last true result. */
  get isPauseDue(): boolean {
    if (this.#length < SLICE) return false
    this.#before = this.text
    this.#pieces = []
    this.#length = 0
    return true
  }

  get text(): string {
    return this.#before + this.#pieces.join('')
  }
}

/** The context of an expression, which determines whether it needs brackets. */
type Place = 'rule' | 'sequence' | 'repeat'

/** @param to - receives the pieces of the text */
function write(expression: Expression, place: Place, to: Pieces): void {
  switch (expression.kind) {
    case 'text':
      writeText(expression.text, place, to)
      return
    case 'class':
      to.add(writeClass(expression.ranges))
      return
    case 'rule':
      to.add(expression.name)
      return
    case 'repeat':
      if (place === 'repeat') to.add('(')
      write(expression.of, 'repeat', to)
      to.add(times(expression.min, expression.max))
      if (place === 'repeat') to.add(')')
      return
    case 'sequence':
      if (expression.of.length === 0) to.add(place === 'repeat' ? '("")' : '""')
      else writeAll(expression.of, 'sequence', ' ', place === 'repeat', to)
      return
    case 'choice':
      writeAll(expression.of, 'rule', ' | ', place !== 'rule', to)
  }
}

function writeAll(parts: readonly Expression[], place: Place, between: string, isGroup: boolean, to: Pieces): void {
  if (isGroup) to.add('(')
  for (let at = 0; at < parts.length; at++) {
    if (at > 0) to.add(between)
    write(parts[at] as Expression, place, to)
  }
  if (isGroup) to.add(')')
}

function times(min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`
  if (min === 0 && max === 1) return '?'
  return min === max ? `{${min}}` : `{${min},${max}}`
}

function writeText(text: string, place: Place, to: Pieces): void {
  if (!PLAIN.test(text)) to.add(literal(text, place))
  else if (place === 'repeat' && text.length > 1) {
    to.add('("')
    to.add(text)
    to.add('")')
  } else {
    to.add('"')
    to.add(text)
    to.add('"')
  }
}

const PLAIN = /^[ !#-[\]-~]*$/

/**
 * Writes a text in quotes. After a hexadecimal escape, a hexadecimal digit begins a new pair of quotes: xgrammar reads
 * every such digit after `\x`, and would take both for another character. llguidance refuses hexadecimal escapes of ASCII
 * in quotes: such a character is a class of its own.
 */
function literal(text: string, place: Place): string {
  const parts: string[] = []
  let quoted = ''
  let isOpen = false
  const close = (): void => {
    if (quoted !== '') parts.push(`"${quoted}"`)
    quoted = ''
  }
  for (const character of text) {
    const code = character.codePointAt(0) as number
    if (isOpen && HEX_DIGIT.test(character)) close()
    isOpen = false
    if (character === '"' || character === '\\') quoted += `\\${character}`
    else if (SHORT_ESCAPES.has(character)) quoted += SHORT_ESCAPES.get(character)
    else if (isPlain(code)) quoted += character
    else if (code <= 0x7f) {
      close()
      parts.push(`[${escaped(code)}]`)
    } else {
      quoted += escaped(code)
      isOpen = true
    }
  }
  close()
  const isOne = parts.length === 1 && [...text].length === 1
  return place === 'repeat' && !isOne ? `(${parts.join(' ')})` : parts.join(' ')
}

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])
const HEX_DIGIT = /[0-9A-Fa-f]/

/** Writes the characters between brackets, those with escapes last, so that none precedes a digit. */
function writeClass(ranges: readonly Range[]): string {
  let [plain, escapes] = ['', '']
  for (const range of ranges) {
    const written = writeRange(range)
    if (written.includes('\\')) escapes += written
    else plain += written
  }
  // A class that matches nothing: half a surrogate pair, which no text contains.
  return plain + escapes === '' ? '[\\uD800-\\uDFFF]' : `[${plain}${escapes}]`
}

/** Writes nothing for half a surrogate pair, which no UTF-8 text contains. */
function writeRange([first, last]: Range): string {
  const low = first >= 0xd800 && first <= 0xdfff ? 0xe000 : first
  const high = last >= 0xd800 && last <= 0xdfff ? 0xd7ff : last
  if (low > high) return ''
  return low === high ? inClass(low) : `${inClass(low)}-${inClass(high)}`
}

const MEANING: ReadonlySet<number> = new Set(Array.from('[]\\^-', (character) => character.charCodeAt(0)))

/** Escapes brackets, hyphens, carets and backslashes, which have a meaning in a class. */
function inClass(code: number): string {
  return isPlain(code) && !MEANING.has(code) ? String.fromCodePoint(code) : escaped(code)
}

/** Whether a character is written unescaped: no control, no line separator, and no half of a pair. */
function isPlain(code: number): boolean {
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return false
  return code !== 0x2028 && code !== 0x2029 && code !== 0xfeff && !(code >= 0xd800 && code <= 0xdfff)
}

function escaped(code: number): string {
  const digits = code.toString(16).toUpperCase()
  if (code <= 0xff) return `\\x${digits.padStart(2, '0')}`
  return code <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`
}
