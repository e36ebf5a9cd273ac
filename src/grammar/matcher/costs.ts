import type { Expression, Grammar } from '../expression.js'

/** How many characters the shortest text of an expression has; infinite if none comes to an end. */
export type Cost = (expression: Expression) => number

export function costsOf(grammar: Grammar): Cost {
  const ofRules = new Map<string, number>()
  const users = usersOf(grammar)
  const open = new Set([...grammar.keys()].toReversed())
  for (const name of open) {
    // Put back when something that it uses becomes shorter.
    open.delete(name)
    const cost = costOf(grammar.get(name) as Expression, ofRules)
    if (cost >= (ofRules.get(name) ?? Number.POSITIVE_INFINITY)) continue
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
      return Array.from(expression.text).length
    case 'class':
      return 1
    case 'rule':
      return ofRules.get(expression.name) ?? Number.POSITIVE_INFINITY
    case 'repeat':
      return expression.min === 0 ? 0 : expression.min * costOf(expression.of, ofRules)
    case 'sequence':
      return expression.of.reduce((sum, part) => sum + costOf(part, ofRules), 0)
    case 'choice':
      return expression.of.reduce((least, part) => Math.min(least, costOf(part, ofRules)), Number.POSITIVE_INFINITY)
  }
}

/** Which rules use a rule. */
function usersOf(grammar: Grammar): Map<string, Set<string>> {
  const users = new Map<string, Set<string>>()
  for (const [user, expression] of grammar) addUser(user, expression, users)
  return users
}

function addUser(user: string, expression: Expression, users: Map<string, Set<string>>): void {
  if (expression.kind === 'rule') {
    const known = users.get(expression.name)
    if (known === undefined) users.set(expression.name, new Set([user]))
    else known.add(user)
  } else if (expression.kind === 'repeat') addUser(user, expression.of, users)
  else if (expression.kind === 'sequence' || expression.kind === 'choice') {
    for (const part of expression.of) addUser(user, part, users)
  }
}
