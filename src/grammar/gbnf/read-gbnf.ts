import { choice, EMPTY, type Expression, type Grammar, oneOf, repeat, rule, sequence, text } from '../expression.js'
import { complement, LAST_CODE_POINT, type Range } from '../ranges.js'
import { BadGrammar } from './bad-grammar.js'

const DEEPEST = 200
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

/**
 * Reads GBNF as llama.cpp documents it, without its token ids.
 *
 * @throws BadGrammar it is none, or uses a rule that it does not have
 */
export function readGbnf(gbnf: string): Grammar {
  const rules = new Map<string, Expression>()
  const used = new Set<string>()
  let at = 0
  let depth = 0

  function wrong(expected: string): BadGrammar {
    const line = gbnf.slice(0, at).split('\n').length
    const got = at >= gbnf.length ? 'the end' : JSON.stringify(gbnf.slice(at, at + 20))
    return new BadGrammar(`GBNF, line ${line}: expected ${expected}, got ${got}`)
  }

  /** What a sticky expression matches here, which is then read. */
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

  /** Within brackets, lines go on. */
  const skipBlanks = (): unknown => take(depth > 0 ? LINES : BLANKS)

  function readRule(): void {
    const name = take(NAME)?.[0]
    if (name === undefined) throw wrong('the name of a rule')
    skipBlanks()
    if (!skip('::=')) throw wrong("'::='")
    if (rules.has(name)) throw new BadGrammar(`GBNF: the rule ${name} is there twice`)
    take(LINES)
    rules.set(name, readChoice())
    if (at < gbnf.length && !/[\r\n]/.test(gbnf[at] as string)) throw wrong('the end of the line')
    take(LINES)
  }

  function readChoice(): Expression {
    const parts = [readSequence()]
    while (skip('|')) {
      take(LINES)
      parts.push(readSequence())
    }
    return choice(...parts)
  }

  function readSequence(): Expression {
    const parts: Expression[] = []
    for (skipBlanks(); ; skipBlanks()) {
      const symbol = readSymbol()
      if (symbol === undefined) return sequence(...parts)
      skipBlanks()
      parts.push(readTimes(symbol))
    }
  }

  function readSymbol(): Expression | undefined {
    if (skip('"')) return readLiteral()
    if (skip('[')) return readClass()
    if (skip('(')) return readGroup()
    if (skip('.')) return oneOf([[0, LAST_CODE_POINT]])
    const name = take(NAME)?.[0]
    if (name === undefined) return undefined
    used.add(name)
    return rule(name)
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

  function readGroup(): Expression {
    if (++depth > DEEPEST) throw wrong(`at most ${DEEPEST} brackets in each other`)
    const inner = readChoice()
    if (!skip(')')) throw wrong("')'")
    depth -= 1
    return inner
  }

  function readLiteral(): Expression {
    const from = at
    let value = ''
    while (!skip('"')) {
      if (at >= gbnf.length) {
        at = from
        throw wrong('a literal that ends')
      }
      const code = readCharacter()
      // Two halves of a pair would become one character.
      if (code >= 0xd800 && code <= 0xdfff) throw wrong('whole characters before this')
      value += String.fromCodePoint(code)
    }
    return value === '' ? EMPTY : text(value)
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
    const character = String.fromCodePoint(code)
    at += character.length
    if (character !== '\\') return checked(code)
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
    return checked(Number.parseInt(digits, 16))
  }

  function checked(code: number): number {
    if (code > LAST_CODE_POINT) throw wrong('a character of Unicode before this')
    return code
  }

  take(LINES)
  while (at < gbnf.length) readRule()
  for (const name of ['root', ...used]) {
    if (!rules.has(name)) throw new BadGrammar(`GBNF: there is no rule ${name}`)
  }
  return rules
}
