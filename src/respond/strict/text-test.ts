import { type MatcherState, matcherOf } from '../../grammar/matcher/matcher.js'
import { productive } from '../../grammar/productive.js'
import { patternExpression } from '../../grammar/regex/pattern-expression.js'
import { readPattern } from '../../grammar/regex/read-pattern.js'
import { matched, searched } from '../../grammar/regex/search.js'
import { createRules } from '../../grammar/rules.js'
import { atOnce } from '../../slices.js'

/** Decides whether a text matches. @throws Error if that takes too much */
export type TextTest = (text: string) => boolean

const LONGEST_PATTERN = 2_000
/** In how many ways an expression may go on; expressions that people write have some ten. */
const MOST_WAYS = 200
/** How many characters are followed, times these ways. */
const MOST_STEPS = 1_000_000

/**
 * The test of a regular expression of JavaScript, without the engine of JavaScript: a client's expression may take that
 * for ever. Undefined if the expression has what only that engine knows, such as backreferences.
 *
 * @param how - whether the expression has to match the `whole` text, or something in it
 */
export function textTest(pattern: string, how: 'whole' | 'search'): TextTest | undefined {
  if (pattern.length > LONGEST_PATTERN) return undefined
  let start: MatcherState
  try {
    const rules = createRules()
    const read = (how === 'whole' ? matched : searched)(readPattern(pattern, ''), '')
    const root = patternExpression(read, rules, 'plain')
    const grammar = atOnce(productive(new Map([...rules.all, ['root', root]])))
    if (grammar === undefined) return () => false
    start = atOnce(matcherOf(grammar))
  } catch {
    return undefined
  }
  return (text) => {
    let state: MatcherState | undefined = start
    let steps = 0
    for (const character of text) {
      steps += state.ways.length
      if (steps > MOST_STEPS || state.ways.length > MOST_WAYS)
        throw new Error('the regular expression is too much work')
      state = state.accept(character)
      if (state === undefined) return false
    }
    return state.isComplete
  }
}
