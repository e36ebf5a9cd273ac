import { type MatcherState, matcherOf } from '../../../engines/grammar/matcher/matcher.js'
import { productive } from '../../../engines/grammar/productive.js'
import { patternExpression } from '../../../engines/grammar/regex/pattern-expression.js'
import { readPattern } from '../../../engines/grammar/regex/read-pattern.js'
import { matched, searched } from '../../../engines/grammar/regex/search.js'
import { createRules } from '../../../engines/grammar/rules.js'
import { createWork, type Slices, type Work } from '../../../shared/slices.js'

/** Returns whether a text matches. @throws Error if that takes too much work */
export type TextTest = (text: string) => Slices<boolean>

const MAX_PATTERN_LENGTH = 2_000
/** The maximum number of states in which an expression may be; usual ones have some ten. */
const MAX_WAYS = 200
/** The cost of reading an expression, and of each of its characters, in steps. */
const OF_PATTERN = 200
const OF_CHARACTER = 10

/** The work that the tests of one output may still do, in steps: characters times states. */
export interface TestWork {
  left: number
  /** The steps until the next pause. */
  readonly slice: Work
}

/** Up to a second. */
const MAX_STEPS = 2_000_000
/** Some milliseconds. */
const SLICE = 10_000

/** Creates the budget of one output, for all expressions and texts together. */
export function createTestWork(): TestWork {
  return { left: MAX_STEPS, slice: createWork(SLICE) }
}

/**
 * Compiles a JavaScript regular expression without JavaScript's engine, which a client's expression could occupy
 * forever. Undefined if the expression uses features that only that engine has, such as backreferences.
 *
 * @param how - whether the expression has to match the `whole` text, or any part of it
 * @throws Error if that takes too much work
 */
export function* textTest(
  pattern: string,
  how: 'whole' | 'search',
  work: TestWork = createTestWork(),
): Slices<TextTest | undefined> {
  if (pattern.length > MAX_PATTERN_LENGTH) return undefined
  spend(work, OF_PATTERN + OF_CHARACTER * pattern.length)
  let start: MatcherState
  try {
    const rules = createRules()
    const read = (how === 'whole' ? matched : searched)(readPattern(pattern, ''), '')
    const root = patternExpression(read, rules, 'plain')
    const grammar = yield* productive(new Map([...rules.all, ['root', root]]))
    if (grammar === undefined) return noText
    start = yield* matcherOf(grammar)
  } catch {
    return undefined
  }
  return function* (text) {
    let state: MatcherState | undefined = start
    for (const character of text) {
      spend(work, state.ways.length > MAX_WAYS ? Number.POSITIVE_INFINITY : state.ways.length)
      if (work.slice.left <= 0) yield* work.slice.pause()
      state = state.accept(character)
      if (state === undefined) return false
    }
    return state.isComplete
  }
}

// biome-ignore lint/correctness/useYield: it is a test like the others, which pause
function* noText(): Slices<boolean> {
  return false
}

function spend(work: TestWork, steps: number): void {
  work.left -= steps
  work.slice.left -= steps
  if (work.left < 0) throw new Error('matching the regular expressions takes too much work')
}
