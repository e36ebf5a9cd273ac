import type { Slices } from '../../../shared/slices.js'
import { rule } from '../expression.js'
import { writeGbnf } from '../gbnf/write-gbnf.js'
import { productive } from '../productive.js'
import { createRules } from '../rules.js'
import { UnsupportedSchema } from '../unsupported-schema.js'
import { patternExpression } from './pattern-expression.js'
import { readPattern } from './read-pattern.js'
import { matched } from './search.js'

/**
 * Returns the grammar of the texts that match a regular expression as a whole, in GBNF, the syntax of llama.cpp.
 *
 * The expression is one of JavaScript with the flag `u`: literals, classes, groups, alternatives, quantifiers (greedy
 * or not, which is the same here), `.`, `\d`, `\w`, `\s`, escapes, and `^` and `$` at the ends.
 *
 * @throws UnsupportedSchema if it is invalid, or has lookaround, backreferences, word boundaries, Unicode properties,
 * modifiers
 */
export function* regexToGbnf(pattern: string): Slices<string> {
  const rules = createRules()
  const text = patternExpression(matched(readPattern(pattern, ''), ''), rules, 'plain')
  // llguidance matches a rule without recursion as one regular expression, but each part of the root by itself, and
  // takes as much for it as it can: in (a{2,3})*, four characters would have no end.
  const grammar = yield* productive(new Map([...rules.all, ['text', text], ['root', rule('text')]]))
  if (grammar === undefined) throw new UnsupportedSchema('', 'No text matches this regular expression.')
  return yield* writeGbnf(grammar)
}
