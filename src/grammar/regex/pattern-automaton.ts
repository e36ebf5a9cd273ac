import type { Slices } from '../../slices.js'
import { bottomUp } from '../bottom-up.js'
import { BadGrammar } from '../gbnf/bad-grammar.js'
import { costsOf } from '../matcher/costs.js'
import { createStacks, type Stack } from '../matcher/stacks.js'
import type { Range } from '../ranges.js'
import { createRules } from '../rules.js'
import { type Automaton, explore, merged, pruned, type Spend } from './automaton.js'
import type { Pattern } from './pattern.js'
import { patternExpression } from './pattern-expression.js'

/** The texts that a pattern without anchors matches as a whole. Undefined if that takes too many states. */
export function* automatonOf(pattern: Pattern, spend: Spend): Slices<Automaton | undefined> {
  const rules = createRules()
  const root = patternExpression(pattern, rules, 'plain')
  const stacks = createStacks(rules.all, yield* costsOf(rules.all, yield* bottomUp(rules.all)))
  // There is one object for each way to go on, so that states are the same that have the same ones.
  const numbers = new Map<Stack, number>()
  const numberOf = (stack: Stack): number => {
    const number = numbers.get(stack) ?? numbers.size
    numbers.set(stack, number)
    return number
  }
  const nameOf = (ways: readonly Stack[]): string =>
    ways
      .map(numberOf)
      .sort((one, other) => one - other)
      .join(' ')
  try {
    const made = yield* explore(
      stacks.ways(stacks.put(root, 0, stacks.bottom)),
      spend,
      (ways) => ({ ways, ranges: ways.map(firstRanges) }),
      ({ ways }, code) => {
        const next = stacks.step(ways, code)
        return next.length === 0 ? undefined : next
      },
      nameOf,
    )
    yield
    return (
      made && (yield* merged(pruned(made.map(({ key, edges }) => ({ isEnd: key.includes(stacks.bottom), edges })))))
    )
  } catch (error) {
    if (error instanceof BadGrammar) return undefined
    throw error
  }
}

function firstRanges({ expression, done }: Stack): readonly Range[] {
  if (expression.kind === 'class') return expression.ranges
  const code = expression.kind === 'text' ? expression.text.codePointAt(done) : undefined
  return code === undefined ? [] : [[code, code]]
}
