import { choice, EMPTY, type Expression, type Grammar, NEVER, repeat, sequence } from './expression.js'

/**
 * A grammar without the parts that no text can come to an end in, and without rules that are not used. Undefined if
 * nothing is left.
 */
export function productive(grammar: Grammar): Grammar | undefined {
  const ends = new Set<string>()
  for (let before = -1; before < ends.size; ) {
    before = ends.size
    for (const [name, expression] of [...grammar].toReversed()) if (canEnd(expression, ends)) ends.add(name)
  }
  if (!ends.has('root')) return undefined
  const kept = new Map<string, Expression>()
  const open = ['root']
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (kept.has(name)) continue
    const expression = pruned(grammar.get(name) as Expression, ends)
    kept.set(name, expression)
    collectNames(expression, open)
  }
  return kept
}

function canEnd(expression: Expression, ends: ReadonlySet<string>): boolean {
  switch (expression.kind) {
    case 'rule':
      return ends.has(expression.name)
    case 'repeat':
      return expression.min === 0 || canEnd(expression.of, ends)
    case 'sequence':
      return expression.of.every((part) => canEnd(part, ends))
    case 'choice':
      return expression.of.some((part) => canEnd(part, ends))
    default:
      return true
  }
}

function pruned(expression: Expression, ends: ReadonlySet<string>): Expression {
  if (!canEnd(expression, ends)) return NEVER
  switch (expression.kind) {
    case 'repeat': {
      const of = pruned(expression.of, ends)
      return of === NEVER ? EMPTY : repeat(of, expression.min, expression.max)
    }
    case 'sequence':
      return sequence(...expression.of.map((part) => pruned(part, ends)))
    case 'choice':
      return choice(...expression.of.filter((part) => canEnd(part, ends)).map((part) => pruned(part, ends)))
    default:
      return expression
  }
}

function collectNames(expression: Expression, names: string[]): void {
  if (expression.kind === 'rule') names.push(expression.name)
  else if (expression.kind === 'repeat') collectNames(expression.of, names)
  else if (expression.kind === 'sequence' || expression.kind === 'choice') {
    for (const part of expression.of) collectNames(part, names)
  }
}
