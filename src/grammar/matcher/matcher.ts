import { atOnce, type Slices } from '../../slices.js'
import { bottomUp } from '../bottom-up.js'
import type { Grammar } from '../expression.js'
import { BadGrammar } from '../gbnf/bad-grammar.js'
import { readGbnf } from '../gbnf/read-gbnf.js'
import { normalRanges, type Range } from '../ranges.js'
import { costsOf } from './costs.js'
import { refuseLeftRecursion } from './left-recursion.js'
import { shortestText } from './shortest-text.js'
import { createStacks, type Stack, type Stacks } from './stacks.js'

/** How far a text has come in a grammar. It never changes: `accept` gives another one. */
export interface MatcherState {
  /** The state after more text, of whole characters; undefined if the grammar does not allow it. */
  accept(text: string): MatcherState | undefined
  /** Whether the text may end here. */
  readonly isComplete: boolean
  /** The characters that may come next, in order: code points. None if only the end may. */
  readonly allowed: readonly Range[]
  /** A shortest text that completes this one. Undefined if it would have more characters than `most`. */
  completion(most?: number): string | undefined
  /** For {@link remaining}. */
  readonly ways: readonly Stack[]
  readonly grammar: Grammar
}

/** A shortest completion is written only up to so many characters, unless more are asked for. */
const LONGEST = 100_000

/**
 * Follows texts in a grammar, from its rule `root`. What a state costs depends on how ambiguous the grammar is, not on how
 * long the text is.
 *
 * @param gbnf - GBNF, the syntax of llama.cpp, without its token ids
 * @throws BadGrammar it is none; a rule is missing, begins with itself or never ends. From `accept`: there are too many
 *   ways to go on
 */
export function createMatcher(gbnf: string): MatcherState {
  return atOnce(matcherOfGbnf(gbnf))
}

/** The same in slices. @throws BadGrammar as {@link createMatcher} does */
export function* matcherOfGbnf(gbnf: string): Slices<MatcherState> {
  return yield* matcherOf(yield* readGbnf(gbnf))
}

/** Follows texts in a grammar that was read or made. @throws BadGrammar as {@link createMatcher} does */
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
    completion(most = LONGEST) {
      const best = ways.reduce((one, other) => (other.cost < one.cost ? other : one))
      return best.cost > most ? undefined : shortestText(best, stacks)
    },
  }
}

function firstRanges({ expression, done }: Stack): readonly Range[] {
  if (expression.kind === 'class') return expression.ranges
  const code = expression.kind === 'text' ? expression.text.codePointAt(done) : undefined
  return code === undefined ? [] : [[code, code]]
}
