import type { Slices } from '../../../shared/slices.js'
import { choice, EMPTY, type Expression, rule, sequence } from '../expression.js'
import { jsonCharacter, spelledCharacter } from '../json-text.js'
import type { Range } from '../ranges.js'
import type { Rules } from '../rules.js'
import type { Automaton } from './automaton.js'

/** The number of states that are written in one slice. */
const SLICE = 100

/**
 * Returns the texts of an automaton inside a JSON string: a rule for each state.
 *
 * @param use - `json`: each character in any of its escapes; `spelled`: as JSON.stringify spells it
 */
export function* automatonExpression({ states }: Automaton, rules: Rules, use: 'json' | 'spelled'): Slices<Expression> {
  const names = states.map(({ edges }) => (edges.length === 0 ? undefined : rules.reserve('state')))
  const character = (ranges: readonly Range[]): Expression =>
    use === 'json' ? jsonCharacter(ranges, rules) : spelledCharacter(ranges, rules)
  const go = (to: number): Expression[] => {
    const name = names[to]
    return name === undefined ? [] : [rule(name)]
  }
  for (const [index, { isEnd, edges }] of states.entries()) {
    const name = names[index]
    if (index % SLICE === SLICE - 1) yield
    const ways = edges.map(({ ranges, to }) => sequence([character(ranges), ...go(to)]))
    if (name !== undefined) rules.set(name, choice([...(isEnd ? [EMPTY] : []), ...ways]))
  }
  const [first] = go(0)
  return first ?? (states[0]?.isEnd === true ? EMPTY : choice([]))
}
