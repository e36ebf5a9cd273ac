import { choice, type Expression, oneOf, sequence } from '../expression.js'
import { jsonCharacter, jsonCharacters } from '../json-text.js'
import type { Rules } from '../rules.js'
import type { Pattern } from './pattern.js'

/**
 * Converts a pattern without anchors to an expression. @param use - `json`: with its characters as a JSON string spells
 * them
 */
export function patternExpression(pattern: Pattern, rules: Rules, use: 'plain' | 'json'): Expression {
  switch (pattern.kind) {
    case 'class':
      return use === 'json' ? jsonCharacter(pattern.ranges, rules) : oneOf(pattern.ranges)
    case 'repeat':
      if (use === 'json' && pattern.of.kind === 'class') {
        return jsonCharacters(pattern.of.ranges, rules, pattern.min, pattern.max)
      }
      return rules.times(patternExpression(pattern.of, rules, use), pattern.min, pattern.max)
    case 'sequence':
      return sequence(pattern.of.map((part) => patternExpression(part, rules, use)))
    case 'choice':
      return choice(pattern.of.map((part) => patternExpression(part, rules, use)))
    default:
      return sequence([])
  }
}
