import { atOnce, type Slices } from '../../../shared/slices.js'
import { bottomUp } from '../bottom-up.js'
import type { Expression, Grammar } from '../expression.js'
import { BadGrammar } from '../gbnf/bad-grammar.js'
import { readGbnf } from '../gbnf/read-gbnf.js'
import { contains, intersection, normalRanges, type Range } from '../ranges.js'
import { type Cost, costsOf } from './costs.js'
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

/** Returns a shortest text of a stack, always the same one. */
function shortestText(stack: Stack, stacks: Stacks): string {
  const parts: string[] = []
  let at = stack
  while (at.below !== undefined) {
    const { expression, done, below } = at
    if (expression.kind === 'text') parts.push(expression.text.slice(done))
    else if (expression.kind === 'class') parts.push(plainest(expression.ranges))
    // A class or a text is followed by the stack below; for all others, the shortest way in is taken.
    const isOver = expression.kind === 'text' || expression.kind === 'class'
    at = isOver ? below : shortest(stacks.open(at))
  }
  return parts.join('')
}

function shortest(ways: readonly Stack[]): Stack {
  // The last of several, since that ends a repetition that may end.
  return ways.reduce((one, other) => (other.cost <= one.cost ? other : one))
}

/** Prefers a printable character. */
function plainest(ranges: readonly Range[]): string {
  const known = [...'0a1A'].find((character) => contains(ranges, character.charCodeAt(0)))
  if (known !== undefined) return known
  const printable = ranges.find(([, last]) => last >= 0x20)
  return String.fromCodePoint(Math.max(printable === undefined ? 0 : 0x20, (printable ?? ranges[0])?.[0] ?? 0))
}

/**
 * @param looping - the rules that may use themselves
 * @throws BadGrammar if a rule begins with itself: a matcher would search for its beginning forever
 */
function refuseLeftRecursion(looping: ReadonlySet<string>, grammar: Grammar, cost: Cost): void {
  const done = new Set<string>()
  for (const name of looping) {
    const path = [{ name, next: firstRules(grammar.get(name) as Expression, cost) }]
    const within = new Set([name])
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const first = done.has(top.name) ? undefined : top.next.pop()
      if (first === undefined) {
        done.add(top.name)
        within.delete(top.name)
        path.pop()
        continue
      }
      if (!looping.has(first)) continue
      if (within.has(first)) throw new BadGrammar(`GBNF: the rule ${first} begins with itself`)
      within.add(first)
      path.push({ name: first, next: firstRules(grammar.get(first) as Expression, cost) })
    }
  }
}

/** Returns the rules with which an expression may begin. */
function firstRules(expression: Expression, cost: Cost): string[] {
  switch (expression.kind) {
    case 'rule':
      return [expression.name]
    case 'repeat':
      return firstRules(expression.of, cost)
    case 'choice':
      return expression.of.flatMap((part) => firstRules(part, cost))
    case 'sequence': {
      const solid = expression.of.findIndex((part) => cost(part) > 0)
      return expression.of.slice(0, solid === -1 ? undefined : solid + 1).flatMap((part) => firstRules(part, cost))
    }
    default:
      return []
  }
}
