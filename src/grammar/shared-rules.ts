import { atOnce, type Slices } from '../slices.js'
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
    if (made === undefined) {
      const rules = createRules(word)
      made = atOnce(finished(name, make(rules), rules))
    }
    return made
  }
}

/** The same for rules that take longer than one piece of work may. */
export function slicedRules(
  name: string,
  make: (rules: Rules) => Slices<Expression>,
  word: string = name,
): () => Slices<SharedRules> {
  let made: SharedRules | undefined
  return function* () {
    if (made !== undefined) return made
    const rules = createRules(word)
    const own = yield* finished(name, yield* make(rules), rules)
    // Another grammar may have made them in a pause: there has to be one object, by which they are known.
    made ??= own
    return made
  }
}

function* finished(name: string, root: Expression, rules: Rules): Slices<SharedRules> {
  const { included } = rules
  rules.set(name, root)
  const used = (yield* productive(rules.all, name, included)) ?? new Map<string, Expression>()
  const all = new Map(Array.from(used).filter(([each]) => rules.all.has(each)))
  const own = rules.nodes - Array.from(included).reduce((sum, { nodes }) => sum + nodes, 0)
  return { name, all, included, nodes: own, gbnf: yield* writeRules(all) }
}
