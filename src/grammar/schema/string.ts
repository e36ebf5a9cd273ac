import type { Expression } from '../expression.js'
import { choice } from '../expression.js'
import { anyString, quoted } from '../json-text.js'
import type { Pattern } from '../regex/pattern.js'
import { patternExpression } from '../regex/pattern-expression.js'
import { readPattern } from '../regex/read-pattern.js'
import { searched } from '../regex/search.js'
import { withLength } from '../regex/with-length.js'
import type { Rules } from '../rules.js'
import { UnsupportedSchema } from '../unsupported-schema.js'
import { FORMATS } from './formats.js'
import { below } from './keywords.js'
import type { Shape } from './shape.js'

/** So many characters can be counted. */
const MOST_CHARACTERS = 100_000

/** The strings that a shape allows. */
export function stringText(shape: Shape, rules: Rules): Expression {
  const { minLength: min, maxLength: max, path } = shape
  if (min > max) return choice()
  if (min > MOST_CHARACTERS) throw new UnsupportedSchema(below(path, 'minLength'), tooLong)
  if (max > MOST_CHARACTERS && max !== Number.POSITIVE_INFINITY) {
    throw new UnsupportedSchema(below(path, 'maxLength'), tooLong)
  }
  const pattern = patternOf(shape)
  if (pattern === undefined) return anyString(rules, min, max)
  const counted = withLength(pattern, min, max)
  if (counted === undefined) {
    const at = below(path, min > 0 ? 'minLength' : 'maxLength')
    throw new UnsupportedSchema(at, "A length cannot be enforced beside this 'pattern' or 'format'.")
  }
  return rules.add('string', quoted(patternExpression(counted, rules, 'json')))
}

const tooLong = `More than ${MOST_CHARACTERS} characters cannot be counted.`

/** What the characters of the string have to match as a whole. */
function patternOf({ patterns, formats, path }: Shape): Pattern | undefined {
  // zod writes a pattern beside each of its formats. The pattern is what a validator looks at in any case.
  const known = patterns.length > 0 ? [] : formats.filter(({ value }) => FORMATS.has(value))
  const [pattern, second] = [...patterns, ...known]
  if (second !== undefined) {
    const message = "Only one 'pattern' or 'format' of the same string can be enforced."
    throw new UnsupportedSchema(second.path, message)
  }
  if (pattern === undefined) return undefined
  if (patterns.length > 0) return searched(readPattern(pattern.value, pattern.path), pattern.path)
  return readPattern(FORMATS.get(pattern.value) as string, path)
}
