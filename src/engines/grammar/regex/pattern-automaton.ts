import type { Slices } from '../../../shared/slices.js'
import { BadGrammar } from '../gbnf/bad-grammar.js'
import { createStacks, firstRanges, type Stack } from '../matcher/stacks.js'
import { LAST_CODE_POINT, normalRanges, type Range } from '../ranges.js'
import { createRules } from '../rules.js'
import { type Automaton, type AutomatonState, hasCharacters, MAX_STATES, pruned } from './automaton.js'
import { merged } from './merged.js'
import type { Pattern } from './pattern.js'
import { patternExpression } from './pattern-expression.js'
import { nodesOfState, SLICE, type Spend } from './work.js'

/**
 * Returns the automaton of the texts that a pattern without anchors matches as a whole. Undefined if that takes too
 * many states.
 */
export function* automatonOf(pattern: Pattern, spend: Spend): Slices<Automaton | undefined> {
  try {
    const states = yield* statesOf(pattern, spend)
    if (states === undefined) return undefined
    yield
    return yield* merged(pruned(states))
  } catch (error) {
    if (error instanceof BadGrammar) return undefined
    throw error
  }
}

/** A state is the set of ways in which a text may continue. @throws BadGrammar if there are too many */
function* statesOf(pattern: Pattern, spend: Spend): Slices<readonly AutomatonState[] | undefined> {
  const rules = createRules()
  const root = patternExpression(pattern, rules, 'plain')
  // The lengths of shortest texts do not matter here.
  const stacks = createStacks(rules.all, () => 0)
  const nameOf = createNames()
  const start = stacks.ways(stacks.put(root, 0, stacks.bottom))
  const numbers = new Map([[nameOf(start), 0]])
  const open = [start]
  const states: AutomatonState[] = []
  let worked = 0
  // The list grows during the loop.
  for (const ways of open) {
    const starts = startsOf(ways)
    const nodes = nodesOfState(starts.length * ways.length)
    if (!spend(nodes)) return undefined
    worked += nodes
    if (worked >= SLICE) {
      worked = 0
      yield
    }
    const byTarget = new Map<number, Range[]>()
    for (let index = 0; index < starts.length; index++) {
      const first = starts[index] as number
      const target = stacks.step(ways, first)
      if (target.length === 0) continue
      const name = nameOf(target)
      const to = numbers.get(name) ?? open.length
      if (to === open.length) {
        if (to >= MAX_STATES) return undefined
        numbers.set(name, to)
        open.push(target)
      }
      const range: Range = [first, (starts[index + 1] ?? LAST_CODE_POINT + 1) - 1]
      const known = byTarget.get(to)
      if (known === undefined) byTarget.set(to, [range])
      else known.push(range)
    }
    const edges = Array.from(byTarget, ([to, ranges]) => ({ ranges: normalRanges(ranges), to })).filter(hasCharacters)
    states.push({ isEnd: ways.includes(stacks.bottom), edges })
  }
  return states
}

/** Returns the same name for the same ways in any order, since there is one object for each. */
function createNames(): (ways: readonly Stack[]) => string {
  const numbers = new Map<Stack, number>()
  const known = new Map<readonly Stack[], string>()
  const numberOf = (stack: Stack): number => {
    const number = numbers.get(stack) ?? numbers.size
    numbers.set(stack, number)
    return number
  }
  return (ways) => {
    const name =
      known.get(ways) ??
      ways
        .map(numberOf)
        .sort((one, other) => one - other)
        .join(' ')
    known.set(ways, name)
    return name
  }
}

/** Returns where the characters of the ways begin and end: all characters between two of these take the same ways. */
function startsOf(ways: readonly Stack[]): number[] {
  const starts = [0]
  for (const way of ways) {
    for (const [first, last] of firstRanges(way)) {
      starts.push(first)
      if (last < LAST_CODE_POINT) starts.push(last + 1)
    }
  }
  starts.sort((one, other) => one - other)
  return starts.filter((start, index) => start !== starts[index - 1])
}
