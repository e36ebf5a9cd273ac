import type { Expression } from '../expression.js'
import { quoted } from '../json-text.js'
import { patternExpression } from '../regex/pattern-expression.js'
import { readPattern } from '../regex/read-pattern.js'
import type { Rules, SharedRules } from '../rules.js'
import { sharedRules } from '../shared-rules.js'
import { formatExpression } from './format-expression.js'
import { FORMATS } from './formats.js'

const ANY_LENGTH = { min: 0, max: Number.POSITIVE_INFINITY }

/** The strings of a format of which nothing else is said. */
export const FORMAT_TEXTS: ReadonlyMap<string, () => SharedRules> = new Map(
  Array.from(FORMATS, ([format, source]) => {
    const make = (rules: Rules): Expression => {
      const exact = formatExpression(format, ANY_LENGTH, rules)
      return quoted(exact ?? patternExpression(readPattern(source, '', source.length), rules, 'json'))
    }
    return [format, sharedRules(format, make, wordOf(format))]
  }),
)

/** `uri-reference` is `ur`: a hundred rules have it. */
function wordOf(format: string): string {
  const words = format.split('-')
  return words.length === 1 ? format : words.map((word) => word.charAt(0)).join('')
}
