import { atOnce, type Slices } from '../../../shared/slices.js'
import { bottomUp } from '../bottom-up.js'
import type { Grammar } from '../expression.js'
import { BadGrammar } from '../gbnf/bad-grammar.js'
import { readGbnf } from '../gbnf/read-gbnf.js'
import { intersection, normalRanges, type Range } from '../ranges.js'
import { costsOf } from './costs.js'
import { refuseLeftRecursion } from './left-recursion.js'
import { shortestText } from './shortest-text.js'
import { createStacks, firstRanges, type Stack, type Stacks } from './stacks.js'

/** The state of a text in a grammar. Immutable: `accept` returns a new one. */
export interface MatcherState {
  /** Returns the state after more text, of whole characters; undefined if the grammar does not allow it. */
  accept(text: string): MatcherState | undefined
  /** Returns the state without the ways that go on with one of these characters; undefined if there is no other. */
  without(characters: readonly Range[]): MatcherState | undefined
  /** Whether the text may end here. */
  readonly isComplete: boolean
  /** The characters that may follow, as ordered code points. None if only the end may. */
  readonly allowed: readonly Range[]
  /** Returns a shortest text that completes this one. Undefined if it would be longer than `max` characters. */
  completion(max?: number): string | undefined
  /** For {@link remaining}. */
  readonly ways: readonly Stack[]
  readonly grammar: Grammar
}

/** The default limit of a completion, in characters. */
const MAX_LENGTH = 100_000

/**
 * Creates a matcher of texts against a grammar, from its rule `root`. The cost of a state depends on the ambiguity of
 * the grammar, not on the length of the text.
 *
 * @param gbnf - GBNF, the syntax of llama.cpp, without its token ids
 * @throws BadGrammar if it is invalid, or a rule is missing, begins with itself or never ends. From `accept`: if there
 * are too many continuations
 */
export function createMatcher(gbnf: string): MatcherState {
  return atOnce(matcherOfGbnf(gbnf))
}

/** Does the same in slices. @throws BadGrammar like {@link createMatcher} */
export function* matcherOfGbnf(gbnf: string): Slices<MatcherState> {
  return yield* matcherOf(yield* readGbnf(gbnf))
}

/** Creates a matcher for a parsed or constructed grammar. @throws BadGrammar like {@link createMatcher} */
export function* matcherOf(grammar: Grammar): Slices<MatcherState> {
  const rules = yield* bottomUp(grammar)
  const cost = yield* costsOf(grammar, rules)
  refuseLeftRecursion(rules.looping, grammar, cost)
  const root = { kind: 'rule', name: 'root' } as const
  if (!Number.isFinite(cost(root))) throw new BadGrammar('GBNF: no text of the rule root comes to an end')
  const stacks = createStacks(grammar, cost)
  return stateOf(stacks.ways(stacks.put(root, 0, stacks.bottom)), grammar, stacks)
}

function stateOf(ways: readonly Stack[], grammar: Grammar, stacks: Stacks): MatcherState {
  return {
    ways,
    grammar,
    isComplete: ways.includes(stacks.bottom),
    get allowed() {
      return normalRanges(ways.flatMap(firstRanges))
    },
    accept(text) {
      let next = ways
      for (const character of text) {
        next = stacks.step(next, character.codePointAt(0) as number)
        if (next.length === 0) return undefined
      }
      return stateOf(next, grammar, stacks)
    },
    without(characters) {
      const others = ways.filter((way) => intersection(firstRanges(way), characters).length === 0)
      return others.length === 0 ? undefined : stateOf(others, grammar, stacks)
    },
    completion(max = MAX_LENGTH) {
      const best = ways.reduce((one, other) => (other.cost < one.cost ? other : one))
      return best.cost > max ? undefined : shortestText(best, stacks)
    },
  }
}
