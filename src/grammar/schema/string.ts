import { choice, type Expression } from '../expression.js'
import { anyString, quoted } from '../json-text.js'
import type { Pattern } from '../regex/pattern.js'
import { patternExpression } from '../regex/pattern-expression.js'
import { readPattern } from '../regex/read-pattern.js'
import { searched } from '../regex/search.js'
import { withLength } from '../regex/with-length.js'
import { UnsupportedSchema } from '../unsupported-schema.js'
import type { Compiler } from './compiler.js'
import { FORMATS } from './formats.js'
import { below } from './keywords.js'
import { otherText } from './other-text.js'
import type { Relax } from './relaxations.js'
import type { Shape } from './shape.js'

/** So many characters can be counted. */
const MOST_CHARACTERS = 100_000

/** The strings that a shape allows: once for what says the same. */
export function stringText(shape: Shape, compiler: Compiler): Expression {
  const { minLength, maxLength, patterns, formats, excluded } = shape
  const said = [...patterns, ...formats].map(({ value }) => value)
  const key = JSON.stringify([minLength, maxLength, patterns.length, said, excluded])
  const known = compiler.strings.get(key)
  if (known !== undefined) return known
  let isWhole = true
  const relax: Relax = (path, message) => {
    isWhole = false
    compiler.relax(path, message)
  }
  const made = compiler.rules.add('string', newText(shape, { ...compiler, relax }))
  // What is left out is reported wherever it stands.
  if (isWhole) compiler.strings.set(key, made)
  return made
}

function newText(shape: Shape, compiler: Compiler): Expression {
  const { path } = shape
  const { rules, relax } = compiler
  const { min, max } = lengthsOf(shape, relax)
  if (min > max) return choice()
  const pattern = patternOf(shape, relax)
  const excluded = shape.excluded.filter((value) => typeof value === 'string')
  const isFree = pattern === undefined && min === 0 && max === Number.POSITIVE_INFINITY
  const tooMany = (): void => relax(path, 'The texts that are not allowed cannot be enforced here.')
  if (excluded.length > 0 && isFree) return otherText(excluded, { rules, later: compiler.later, tooMany })
  if (excluded.length > 0) tooMany()
  if (pattern === undefined) return anyString(rules, min, max)
  const counted = withLength(pattern, min, max)
  if (counted === undefined) {
    const message = "A length cannot be enforced beside this 'pattern' or 'format'."
    if (min > 0) relax(below(path, 'minLength'), message)
    if (max < Number.POSITIVE_INFINITY) relax(below(path, 'maxLength'), message)
  }
  return quoted(patternExpression(counted ?? pattern, rules, 'json'))
}

function lengthsOf({ minLength, maxLength, path }: Shape, relax: Relax): { min: number; max: number } {
  if (minLength > maxLength) return { min: 1, max: 0 }
  const tooLong = `More than ${MOST_CHARACTERS} characters cannot be counted.`
  const isOver = maxLength > MOST_CHARACTERS && maxLength !== Number.POSITIVE_INFINITY
  if (minLength > MOST_CHARACTERS) relax(below(path, 'minLength'), tooLong)
  if (isOver) relax(below(path, 'maxLength'), tooLong)
  return { min: Math.min(minLength, MOST_CHARACTERS), max: isOver ? Number.POSITIVE_INFINITY : maxLength }
}

/** What the characters of the string have to match as a whole. */
function patternOf({ patterns, formats, path }: Shape, relax: Relax): Pattern | undefined {
  const read: Pattern[] = []
  for (const pattern of patterns) {
    const known = attempt(() => searched(readPattern(pattern.value, pattern.path), pattern.path), relax)
    if (known === undefined) continue
    if (read.length === 0) read.push(known)
    else relax(pattern.path, "Only one 'pattern' of the same string can be enforced.")
  }
  // zod writes a pattern beside each of its formats. The pattern is what a validator looks at in any case.
  for (const { value, path: at } of read.length > 0 ? [] : formats) {
    const known = FORMATS.get(value)
    if (known !== undefined && read.length === 0) read.push(readPattern(known, path, known.length))
    else if (known !== undefined) relax(at, "Only one 'format' of the same string can be enforced.")
  }
  return read[0]
}

/** Undefined for an expression that no grammar holds, which is reported. */
function attempt(read: () => Pattern, relax: Relax): Pattern | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof UnsupportedSchema)) throw error
    relax(error.path, error.message)
    return undefined
  }
}
