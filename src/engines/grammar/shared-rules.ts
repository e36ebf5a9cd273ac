import { atOnce, type Slices } from '../../shared/slices.js'
import type { Expression } from './expression.js'
import { writeRules } from './gbnf/write-gbnf.js'
import { productive } from './productive.js'
import { createRules, type Rules, type SharedRules } from './rules.js'

/**
 * Creates rules that follow from constants alone, on demand and only once: a format takes as long as the rest of most
 * schemas.
 *
 * @param name - of the rule that others refer to: unique
 * @param word - begins the names of its other rules: unique
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

/** Does the same for rules that take longer than one slice. */
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
    yield
    // Another grammar may have created them during a pause: there has to be one object, by which they are identified.
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
