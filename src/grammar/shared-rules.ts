import { atOnce } from '../slices.js'
import type { Expression } from './expression.js'
import { writeRules } from './gbnf/write-gbnf.js'
import { productive } from './productive.js'
import { createRules, type Rules, type SharedRules } from './rules.js'

/**
 * Rules that follow from constants alone. They are made when they are first asked for, and once: a format takes as long as
 * all the rest of most schemas.
 *
 * @param name - of the rule that others refer to: no others' name
 * @param word - begins the names of its other rules: no others' word
 */
export function sharedRules(name: string, make: (rules: Rules) => Expression, word: string = name): () => SharedRules {
  let made: SharedRules | undefined
  return () => {
    made ??= madeOf(name, make, word)
    return made
  }
}

function madeOf(name: string, make: (rules: Rules) => Expression, word: string): SharedRules {
  const rules = createRules(word)
  const root = make(rules)
  const { included } = rules
  rules.set(name, root)
  const used = atOnce(productive(rules.all, name, included)) ?? new Map<string, Expression>()
  const all = new Map(Array.from(used).filter(([each]) => rules.all.has(each)))
  const own = rules.nodes - Array.from(included).reduce((sum, { nodes }) => sum + nodes, 0)
  return { name, all, included, nodes: own, gbnf: atOnce(writeRules(all)) }
}
