import type { Slices } from '../../../shared/slices.js'
import { type Automaton, automatonOfTexts, isEmpty } from '../regex/automaton.js'
import { automatonOf } from '../regex/pattern-automaton.js'
import { product, where } from '../regex/product.js'
import type { Spend } from '../regex/work.js'
import { ANYTHING, both, type Located } from './located.js'
import type { Patterned } from './patterned.js'

/** Names that match the same patterns, and the schemas of their properties. */
export interface NamesByPattern {
  readonly names: Automaton
  readonly value: Located
}

/**
 * Groups the undeclared names by the patterns that they match; those that match none are `additional`. Undefined if
 * distinguishing them takes too many states.
 */
export function* namesByPattern(
  patterns: readonly Patterned[],
  declared: readonly string[],
  additional: Located,
  spend: Spend,
): Slices<readonly NamesByPattern[] | undefined> {
  const automata = [automatonOfTexts(declared)]
  for (const { whole } of patterns) automata.push(yield* automatonOf(whole, spend))
  const known = automata.filter((automaton) => automaton !== undefined)
  const all = known.length === automata.length ? yield* product([...known, ANY_NAME], spend) : undefined
  if (all === undefined) return undefined
  const kinds = new Map<string, readonly boolean[]>()
  for (const { ends } of all.states) {
    const [isDeclared, ...matched] = ends.slice(0, -1)
    if (isDeclared !== true) kinds.set(matched.join(), matched)
  }
  // Each kind may become as many rules as there are states, of some four nodes.
  if (!spend(4 * kinds.size * all.states.length)) return undefined
  const alternatives: NamesByPattern[] = []
  for (const [kind, matched] of kinds) {
    yield
    const names = where(all, ([isDeclared, ...ends]) => isDeclared !== true && ends.slice(0, -1).join() === kind)
    const values = patterns.filter((_, index) => matched[index]).map(({ value }) => value)
    const value = values.length === 0 ? additional : values.reduce(both, ANYTHING)
    if (!isEmpty(names)) alternatives.push({ names, value })
  }
  return alternatives
}

/** Runs beside the others, so that names that match none of them are followed too. */
const ANY_NAME: Automaton = {
  states: [
    {
      isEnd: true,
      edges: [
        {
          ranges: [
            [0, 0xd7ff],
            [0xe000, 0x10ffff],
          ],
          to: 0,
        },
      ],
    },
  ],
}
