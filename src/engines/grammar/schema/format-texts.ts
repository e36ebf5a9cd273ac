import type { Slices } from '../../../shared/slices.js'
import type { Expression } from '../expression.js'
import { quoted } from '../json-text.js'
import { patternExpression } from '../regex/pattern-expression.js'
import { readPattern } from '../regex/read-pattern.js'
import type { Rules, SharedRules } from '../rules.js'
import { slicedRules } from '../shared-rules.js'
import { formatExpression } from './format-expression.js'
import { FORMATS } from './formats.js'

const ANY_LENGTH = { min: 0, max: Number.POSITIVE_INFINITY }

/** The strings of a format without further constraints. */
export const FORMAT_TEXTS: ReadonlyMap<string, () => Slices<SharedRules>> = new Map(
  Array.from(FORMATS, ([format, source]) => {
    const make = function* (rules: Rules): Slices<Expression> {
      const exact = yield* formatExpression(format, ANY_LENGTH, rules)
      if (exact !== undefined) return quoted(exact)
      const pattern = readPattern(source, '', source.length)
      yield
      return quoted(patternExpression(pattern, rules, 'json'))
    }
    return [format, slicedRules(format, make, wordOf(format))]
  }),
)

/** Abbreviates `uri-reference` as `ur`, since a hundred rules contain it. */
function wordOf(format: string): string {
  const words = format.split('-')
  return words.length === 1 ? format : words.map((word) => word.charAt(0)).join('')
}
