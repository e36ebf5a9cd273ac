import type { Slices } from '../../../shared/slices.js'
import type { BottomUp } from '../bottom-up.js'
import { collectNames, type Expression, type Grammar } from '../expression.js'

/** The number of rules that are visited in one slice. */
const SLICE = 500

/** Returns the length of an expression's shortest text, in characters; infinite if no text ends. */
export type Cost = (expression: Expression) => number

export function* costsOf(grammar: Grammar, { order, looping }: BottomUp): Slices<Cost> {
  const ofRules = new Map<string, number>()
  let looked = 0
  for (const name of order) {
    if (++looked % SLICE === 0) yield
    ofRules.set(name, costOf(grammar.get(name) as Expression, ofRules))
  }
  const users = usersAmong(looping, grammar)
  const open = new Set(looping)
  for (const name of open) {
    if (++looked % SLICE === 0) yield
    // Reopened when a rule that it uses gets shorter.
    open.delete(name)
    const cost = costOf(grammar.get(name) as Expression, ofRules)
    if (cost >= (ofRules.get(name) as number)) continue
    ofRules.set(name, cost)
    for (const user of users.get(name) ?? []) open.add(user)
  }
  const known = new Map<Expression, number>()
  return (expression) => {
    const cost = known.get(expression) ?? costOf(expression, ofRules)
    known.set(expression, cost)
    return cost
  }
}

function costOf(expression: Expression, ofRules: ReadonlyMap<string, number>): number {
  switch (expression.kind) {
    case 'text':
      return charactersIn(expression.text)
    case 'class':
      return 1
    case 'rule':
      return ofRules.get(expression.name) ?? Number.POSITIVE_INFINITY
    case 'repeat':
      return expression.min === 0 ? 0 : expression.min * costOf(expression.of, ofRules)
    case 'sequence': {
      let sum = 0
      for (const part of expression.of) sum += costOf(part, ofRules)
      return sum
    }
    case 'choice': {
      let cheapest = Number.POSITIVE_INFINITY
      for (const part of expression.of) cheapest = Math.min(cheapest, costOf(part, ofRules))
      return cheapest
    }
  }
}

function charactersIn(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) {
    if ((text.codePointAt(at) as number) > 0xffff) at += 1
    count += 1
  }
  return count
}

/** Maps each of the rules to those that use it. */
function usersAmong(rules: ReadonlySet<string>, grammar: Grammar): ReadonlyMap<string, ReadonlySet<string>> {
  const users = new Map(Array.from(rules, (name) => [name, new Set<string>()]))
  for (const user of rules) {
    const used: string[] = []
    collectNames(grammar.get(user) as Expression, used)
    for (const name of used) users.get(name)?.add(user)
  }
  return users
}
