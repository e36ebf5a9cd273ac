import { complement, normalRanges, type Range } from '../ranges.js'
import { UnsupportedSchema } from '../unsupported-schema.js'
import { DOT, shorthand } from './classes.js'
import { canBeEmpty, choiceOf, type Pattern, repeatOf, sequenceOf, sizeOf } from './pattern.js'

const MAX_LENGTH = 2_000
/** The limit of parts: a repetition of a possibly empty pattern is written out by its first part, recursively. */
const MAX_PARTS = 20_000
/** The limit of optional parts that are repeated together: they are written out in quadratic size. */
const MAX_OPTIONAL = 300
const MAX_DEPTH = 50
const MAX_TIMES = 100_000

const CONTROLS: ReadonlyMap<string, number> = new Map([
  ['t', 9],
  ['n', 10],
  ['v', 11],
  ['f', 12],
  ['r', 13],
  ['0', 0],
])

/**
 * Parses a JavaScript regular expression, with the flag `u` as in JSON Schema, or without. Not by
 * `@eslint-community/regexpp`: this floor imports no package, and the runtime itself checks the syntax before.
 *
 * @param path - where it stands in a schema
 * @param longest - its maximum length in characters
 * @throws UnsupportedSchema if it is invalid, or has a feature that no grammar can enforce
 */
export function readPattern(source: string, path: string, longest: number = MAX_LENGTH): Pattern {
  const refuse = (what: string): UnsupportedSchema =>
    new UnsupportedSchema(path, `The regular expression has ${what}, which cannot be enforced.`)
  if (source.length > longest) throw refuse(`more than ${longest} characters`)
  // Validated first, so that the code below need not check for mistakes.
  if (!isRegExp(source)) throw new UnsupportedSchema(path, 'This is no regular expression of JavaScript.')
  const characters = Array.from(source)
  let at = 0
  let depth = 0
  const sizes = new WeakMap<Pattern, number>()
  const take = (): string => characters[at++] as string
  const isNext = (text: string): boolean => {
    for (let index = 0; index < text.length; index++) if (characters[at + index] !== text[index]) return false
    return true
  }
  const skip = (text: string): boolean => {
    const isThere = isNext(text)
    if (isThere) at += text.length
    return isThere
  }

  function readChoice(): Pattern {
    const parts: Pattern[] = []
    do parts.push(readSequence())
    while (skip('|'))
    return choiceOf(parts)
  }

  function readSequence(): Pattern {
    const parts: Pattern[] = []
    while (at < characters.length && !isNext('|') && !isNext(')')) parts.push(readQuantified(readAtom()))
    return sequenceOf(parts)
  }

  function readAtom(): Pattern {
    const character = take()
    switch (character) {
      case '^':
        return { kind: 'start' }
      case '$':
        return { kind: 'end' }
      case '.':
        return { kind: 'class', ranges: DOT }
      case '(':
        return readGroup()
      case '[':
        return readClass()
      case '\\':
        return { kind: 'class', ranges: readEscape() }
      default:
        return { kind: 'class', ranges: only(character.codePointAt(0) as number) }
    }
  }

  function readGroup(): Pattern {
    if (++depth > MAX_DEPTH) throw refuse(`more than ${MAX_DEPTH} nested groups`)
    if (['?=', '?!', '?<=', '?<!'].some(isNext)) throw refuse('a lookahead or lookbehind')
    if (skip('?<')) while (take() !== '>');
    else if (!skip('?:') && isNext('?')) throw refuse('a modifier')
    const inner = readChoice()
    at += 1
    depth -= 1
    return inner
  }

  function readQuantified(atom: Pattern): Pattern {
    const [min, max] = readTimes()
    if (min === 1 && max === 1) return atom
    skip('?')
    if (max !== Number.POSITIVE_INFINITY && max > MAX_TIMES) throw refuse(`a repetition of more than ${MAX_TIMES}`)
    if (min > MAX_TIMES) throw refuse(`a repetition of more than ${MAX_TIMES}`)
    if (sizeOf(atom, sizes) > MAX_OPTIONAL && canBeEmpty(atom)) throw refuse('too many optional parts in each other')
    const repeated = repeatOf(atom, min, max)
    if (sizeOf(repeated, sizes) > MAX_PARTS) throw refuse('too many optional parts in each other')
    return repeated
  }

  function readTimes(): [min: number, max: number] {
    if (skip('*')) return [0, Number.POSITIVE_INFINITY]
    if (skip('+')) return [1, Number.POSITIVE_INFINITY]
    if (skip('?')) return [0, 1]
    if (!isNext('{')) return [1, 1]
    // Without the flag, a brace that begins no quantifier is literal.
    const braces = characters.slice(at, characters.indexOf('}', at) + 1).join('')
    if (!/^\{\d+(,\d*)?\}$/.test(braces)) return [1, 1]
    at += 1
    let inner = ''
    for (let next = take(); next !== '}'; next = take()) inner += next
    const [min, max = min] = inner.split(',')
    return [Number(min), max === '' ? Number.POSITIVE_INFINITY : Number(max)]
  }

  function readClass(): Pattern {
    const isNegated = skip('^')
    const ranges: Range[] = []
    while (!skip(']')) {
      const first = readMember()
      const isRange = isNext('-') && characters[at + 1] !== ']'
      if (!isRange) for (const range of first) ranges.push(range)
      else {
        at += 1
        const last = readMember()
        // Without the flag, a hyphen beside a class is literal.
        if (isOne(first) && isOne(last)) ranges.push([first[0]?.[0] as number, last[0]?.[1] as number])
        else for (const range of [...first, ...only(45), ...last]) ranges.push(range)
      }
    }
    return { kind: 'class', ranges: isNegated ? complement(ranges) : normalRanges(ranges) }
  }

  function readMember(): readonly Range[] {
    const character = take()
    if (character !== '\\') return only(character.codePointAt(0) as number)
    if (skip('b')) return only(8)
    return skip('-') ? only(45) : readEscape()
  }

  function readEscape(): readonly Range[] {
    const letter = take()
    const known = shorthand(letter)
    if (known !== undefined) return known
    const control = CONTROLS.get(letter)
    if (control !== undefined) return only(control)
    if (letter === 'b' || letter === 'B') throw refuse('a word boundary')
    if (letter === 'k' || /[1-9]/.test(letter)) throw refuse('a backreference')
    if (letter === 'p' || letter === 'P') throw refuse('a Unicode property')
    if (letter === 'c') return only(take().charCodeAt(0) % 32)
    const isHex = (length: number): boolean => /^[0-9A-Fa-f]+$/.test(characters.slice(at, at + length).join(''))
    if (letter === 'x' && isHex(2)) return only(readHex(2))
    return only(letter === 'u' && (isNext('{') || isHex(4)) ? readUnicode() : (letter.codePointAt(0) as number))
  }

  function readUnicode(): number {
    if (skip('{')) {
      let digits = ''
      for (let next = take(); next !== '}'; next = take()) digits += next
      return Number.parseInt(digits, 16)
    }
    const unit = readHex(4)
    const isPair =
      unit >= 0xd800 &&
      unit <= 0xdbff &&
      isNext('\\u') &&
      /^[Dd][C-Fc-f]/.test(characters.slice(at + 2, at + 4).join(''))
    if (!isPair) return unit
    at += 2
    return String.fromCharCode(unit, readHex(4)).codePointAt(0) as number
  }

  function readHex(length: number): number {
    const digits = characters.slice(at, at + length).join('')
    at += length
    return Number.parseInt(digits, 16)
  }

  return readChoice()
}

function only(code: number): readonly Range[] {
  return [[code, code]]
}

function isOne([first, other]: readonly Range[]): boolean {
  return first !== undefined && other === undefined && first[0] === first[1]
}

/**
 * Whether it is valid with the flag `u`, or reads the same without it: other languages escape characters needlessly
 * (`\_`), which the flag forbids. False if the flag, or its absence, changes its meaning.
 */
function isRegExp(source: string): boolean {
  return compiles(source, 'u') || (compiles(source, '') && !/\\(?:[kpP]|u\{|c(?![A-Za-z])|0\d|[1-9])/.test(source))
}

function compiles(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags)
    return true
  } catch {
    return false
  }
}
