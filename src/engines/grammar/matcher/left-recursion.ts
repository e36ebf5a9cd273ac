import type { Expression, Grammar } from '../expression.js'
import { BadGrammar } from '../gbnf/bad-grammar.js'
import type { Cost } from './costs.js'

/**
 * @param looping - the rules that may use themselves
 * @throws BadGrammar if a rule begins with itself: a matcher would search for its beginning forever
 */
export function refuseLeftRecursion(looping: ReadonlySet<string>, grammar: Grammar, cost: Cost): void {
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
