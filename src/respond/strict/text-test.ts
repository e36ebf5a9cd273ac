import { type MatcherState, matcherOf } from '../../grammar/matcher/matcher.js'
import { productive } from '../../grammar/productive.js'
import { patternExpression } from '../../grammar/regex/pattern-expression.js'
import { readPattern } from '../../grammar/regex/read-pattern.js'
import { matched, searched } from '../../grammar/regex/search.js'
import { createRules } from '../../grammar/rules.js'
import { atOnce } from '../../slices.js'

/** Returns whether a text matches. @throws Error if that takes too much work */
export type TextTest = (text: string) => boolean

const LONGEST_PATTERN = 2_000
/** The maximum number of states in which an expression may be; those that people write have some ten. */
const MOST_WAYS = 200
/** The maximum number of characters times these states. */
const MOST_STEPS = 1_000_000

/**
 * Compiles a JavaScript regular expression without JavaScript's engine, which a client's expression could occupy
 * forever. Undefined if the expression uses features that only that engine has, such as backreferences.
 *
 * @param how - whether the expression has to match the `whole` text, or any part of it
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
