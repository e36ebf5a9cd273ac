import type { Slices } from '../../../shared/slices.js'
import { choice, EMPTY, type Expression, type Grammar, oneOf, repeat, rule, sequence, text } from '../expression.js'
import { complement, LAST_CODE_POINT, type Range } from '../ranges.js'
import { BadGrammar } from './bad-grammar.js'

const MAX_DEPTH = 200
/** The number of characters that are read in one slice. */
const SLICE = 10_000
const NAME = /[0-9A-Za-z_-]+/y
const BLANKS = /(?:[ \t]|#[^\r\n]*)*/y
const LINES = /(?:[ \t\r\n]|#[^\r\n]*)*/y
const TIMES = /\{[ \t]*(\d{1,7})[ \t]*(,[ \t]*(\d{1,7})?)?[ \t]*\}/y
const HEX = { x: 2, u: 4, U: 8 } as const
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['t', '\t'],
  ['r', '\r'],
  ['n', '\n'],
  ...[...'\\"[]'].map((character) => [character, character] as const),
])
const QUOTE = 0x22
const BACKSLASH = 0x5c
const FIRST_SURROGATE = 0xd800
const LAST_SURROGATE = 0xdfff

/** An open choice: in brackets, or the rule itself. */
interface OpenChoice {
  readonly sequences: Expression[]
  parts: Expression[]
}

/**
 * Reads GBNF as llama.cpp documents it, without its token ids.
 *
 * @throws BadGrammar if it is invalid, or uses an undefined rule
 */
export function* readGbnf(gbnf: string): Slices<Grammar> {
  const rules = new Map<string, Expression>()
  /** The reference to each rule, by name: one object, however often it is used. */
  const used = new Map<string, Expression>()
  let at = 0
  let paused = 0
  /** The open choices, from the rule's own to that of the innermost brackets. */
  let open: OpenChoice[] = []

  function wrong(expected: string): BadGrammar {
    const line = gbnf.slice(0, at).split('\n').length
    const got = at >= gbnf.length ? 'the end' : JSON.stringify(gbnf.slice(at, at + 20))
    return new BadGrammar(`GBNF, line ${line}: expected ${expected}, got ${got}`)
  }

  /** Consumes the match of a sticky expression at this place. */
  function take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = at
    const match = pattern.exec(gbnf)
    if (match === null) return undefined
    at += match[0].length
    return match
  }

  function skip(characters: string): boolean {
    if (!gbnf.startsWith(characters, at)) return false
    at += characters.length
    return true
  }

  /** Within brackets, lines continue. */
  function skipBlanks(): void {
    // Usually there is one blank.
    if (gbnf[at] === ' ') at += 1
    const next = gbnf[at]
    if (next === ' ' || next === '\t' || next === '#') take(open.length > 1 ? LINES : BLANKS)
    else if (open.length > 1 && (next === '\r' || next === '\n')) take(LINES)
  }

  function* readRule(): Slices<void> {
    const name = take(NAME)?.[0]
    if (name === undefined) throw wrong('the name of a rule')
    open = []
    skipBlanks()
    if (!skip('::=')) throw wrong("'::='")
    if (rules.has(name)) throw new BadGrammar(`GBNF: the rule ${name} is there twice`)
    take(LINES)
    rules.set(name, yield* readChoice())
    if (at < gbnf.length && !/[\r\n]/.test(gbnf[at] as string)) throw wrong('the end of the line')
    take(LINES)
  }

  function* readChoice(): Slices<Expression> {
    open = [{ sequences: [], parts: [] }]
    for (;;) {
      if (at - paused >= SLICE) {
        paused = at
        yield
      }
      skipBlanks()
      if (skip('|')) {
        endSequence()
        take(LINES)
        continue
      }
      if (skip('(')) {
        if (open.length > MAX_DEPTH) throw wrong(`at most ${MAX_DEPTH} brackets in each other`)
        open.push({ sequences: [], parts: [] })
        continue
      }
      const symbol = open.length > 1 && skip(')') ? endChoice() : readSymbol()
      if (symbol === undefined) break
      skipBlanks()
      last().parts.push(readTimes(symbol))
    }
    if (open.length > 1) throw wrong("')'")
    return endChoice()
  }

  function last(): OpenChoice {
    return open.at(-1) as OpenChoice
  }

  function endSequence(): void {
    const choice = last()
    choice.sequences.push(sequence(choice.parts))
    choice.parts = []
  }

  function endChoice(): Expression {
    endSequence()
    return choice((open.pop() as OpenChoice).sequences)
  }

  function readSymbol(): Expression | undefined {
    if (skip('"')) return readLiteral()
    if (skip('[')) return readClass()
    if (skip('.')) return oneOf([[0, LAST_CODE_POINT]])
    const name = take(NAME)?.[0]
    if (name === undefined) return undefined
    const known = used.get(name) ?? rule(name)
    used.set(name, known)
    return known
  }

  function readTimes(symbol: Expression): Expression {
    if (skip('*')) return repeat(symbol, 0, Number.POSITIVE_INFINITY)
    if (skip('+')) return repeat(symbol, 1, Number.POSITIVE_INFINITY)
    if (skip('?')) return repeat(symbol, 0, 1)
    if (gbnf[at] !== '{') return symbol
    const match = take(TIMES)
    if (match === undefined) throw wrong('{m}, {m,} or {m,n}')
    const min = Number(match[1])
    const max = match[2] === undefined ? min : Number(match[3] ?? Number.POSITIVE_INFINITY)
    if (min > max) throw new BadGrammar(`GBNF: ${match[0]} is never`)
    return repeat(symbol, min, max)
  }

  function readLiteral(): Expression {
    const from = at
    let value = ''
    for (;;) {
      const plain = at
      while (isPlainInLiteral(gbnf.charCodeAt(at))) at += 1
      value += gbnf.slice(plain, at)
      if (skip('"')) return value === '' ? EMPTY : text(value)
      if (at >= gbnf.length) {
        at = from
        throw wrong('a literal that ends')
      }
      const code = readCharacter()
      // Two halves of a pair would join to one character.
      if (isSurrogate(code)) throw wrong('whole characters before this')
      value += String.fromCodePoint(code)
    }
  }

  function readClass(): Expression {
    const from = at
    const isNegated = skip('^')
    const ranges: Range[] = []
    while (!skip(']')) {
      if (at >= gbnf.length) {
        at = from
        throw wrong('a class that ends')
      }
      const first = readCharacter()
      const isRange = gbnf[at] === '-' && gbnf[at + 1] !== ']'
      if (isRange) at += 1
      const last = isRange ? readCharacter() : first
      if (last < first) throw wrong('the greater end of a range')
      ranges.push([first, last])
    }
    return oneOf(isNegated ? complement(ranges) : ranges)
  }

  function readCharacter(): number {
    const code = gbnf.codePointAt(at)
    if (code === undefined) throw wrong('a character')
    at += code > 0xffff ? 2 : 1
    return code === BACKSLASH ? readEscape() : code
  }

  function readEscape(): number {
    const letter = gbnf[at] ?? ''
    const known = ESCAPES.get(letter)
    if (known === undefined && !(letter in HEX)) throw wrong('an escape: t, r, n, \\, ", [, ], x, u or U')
    at += 1
    return known === undefined ? readHex(HEX[letter as keyof typeof HEX]) : known.charCodeAt(0)
  }

  function readHex(length: number): number {
    const digits = gbnf.slice(at, at + length)
    if (!/^[0-9A-Fa-f]+$/.test(digits) || digits.length < length) throw wrong(`${length} hexadecimal digits`)
    at += length
    const code = Number.parseInt(digits, 16)
    if (code > LAST_CODE_POINT) throw wrong('a character of Unicode before this')
    return code
  }

  take(LINES)
  while (at < gbnf.length) yield* readRule()
  for (const name of ['root', ...used.keys()]) {
    if (!rules.has(name)) throw new BadGrammar(`GBNF: there is no rule ${name}`)
  }
  return rules
}

/** False at the end of the text, where there is no code. */
function isPlainInLiteral(code: number): boolean {
  return code !== QUOTE && code !== BACKSLASH && (code < FIRST_SURROGATE || code > LAST_SURROGATE)
}

function isSurrogate(code: number): boolean {
  return code >= FIRST_SURROGATE && code <= LAST_SURROGATE
}
