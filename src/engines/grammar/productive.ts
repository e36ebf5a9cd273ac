import type { Slices } from '../../shared/slices.js'
import { choice, collectNames, EMPTY, type Expression, type Grammar, NEVER, repeat, sequence } from './expression.js'
import type { SharedRules } from './rules.js'

/** The number of rules that are visited in one slice. */
const SLICE = 200

/**
 * Returns a grammar without parts in which no text can end, and without unused rules. Undefined if nothing is left.
 *
 * @param included - external rules that its rules refer to. The used ones come last, unchanged.
 */
export function* productive(
  grammar: Grammar,
  root = 'root',
  included: Iterable<SharedRules> = [],
): Slices<Grammar | undefined> {
  const shared = new Map(Array.from(included, (each) => [each.name, each]))
  const ends = yield* endingRules(grammar, shared.keys())
  if (!ends.has(root)) return undefined
  const kept = new Map<string, Expression>()
  const used = new Set<SharedRules>()
  const open = [root]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (kept.has(name)) continue
    const known = shared.get(name)
    if (known !== undefined) {
      for (const each of [...known.included, known]) used.add(each)
      continue
    }
    if (kept.size % SLICE === SLICE - 1) yield
    const expression = pruned(grammar.get(name) as Expression, ends)
    kept.set(name, expression)
    collectNames(expression, open)
  }
  for (const { all } of used) for (const [name, expression] of all) kept.set(name, expression)
  return kept
}

/** Returns the rules in which some text ends. @param known - further such rules */
function* endingRules(grammar: Grammar, known: Iterable<string>): Slices<ReadonlySet<string>> {
  const ends = new Set(known)
  /** The rules that wait for another, by its name: they are visited again once that one is proved to end. */
  const waiting = new Map<string, Set<string>>()
  // Users precede the rules that they use, so that most of those are proved to end before a user is visited.
  const open = [...grammar.keys()]
  const blockers: string[] = []
  let looked = 0
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (++looked % SLICE === 0) yield
    if (ends.has(name)) continue
    blockers.length = 0
    if (canEnd(grammar.get(name) as Expression, ends, blockers)) {
      ends.add(name)
      for (const waiter of waiting.get(name) ?? []) open.push(waiter)
      waiting.delete(name)
    } else {
      for (const blocker of blockers) {
        const known = waiting.get(blocker)
        if (known === undefined) waiting.set(blocker, new Set([name]))
        else known.add(name)
      }
    }
  }
  return ends
}

/** @param blockers - receives the rules whose end would change the result */
function canEnd(expression: Expression, ends: ReadonlySet<string>, blockers?: string[]): boolean {
  switch (expression.kind) {
    case 'rule':
      if (ends.has(expression.name)) return true
      blockers?.push(expression.name)
      return false
    case 'repeat':
      return expression.min === 0 || canEnd(expression.of, ends, blockers)
    case 'sequence':
      for (const part of expression.of) if (!canEnd(part, ends, blockers)) return false
      return true
    case 'choice':
      for (const part of expression.of) if (canEnd(part, ends, blockers)) return true
      return false
    default:
      return true
  }
}

/** Returns the same object if nothing is removed. */
function pruned(expression: Expression, ends: ReadonlySet<string>): Expression {
  switch (expression.kind) {
    case 'rule':
      return ends.has(expression.name) ? expression : NEVER
    case 'repeat': {
      const of = pruned(expression.of, ends)
      if (of === expression.of) return expression
      if (of !== NEVER) return repeat(of, expression.min, expression.max)
      return expression.min === 0 ? EMPTY : NEVER
    }
    case 'sequence': {
      const of = prunedParts(expression.of, ends)
      if (of === undefined) return expression
      return of.includes(NEVER) ? NEVER : sequence(of)
    }
    case 'choice': {
      if (expression.of.length === 0) return NEVER
      const of = prunedParts(expression.of, ends)
      if (of === undefined) return expression
      const left = of.filter((part) => part !== NEVER)
      return left.length === 0 ? NEVER : choice(left)
    }
    default:
      return expression
  }
}

/** Returns undefined if nothing is removed: most grammars lose nothing, and are not copied. */
function prunedParts(parts: readonly Expression[], ends: ReadonlySet<string>): Expression[] | undefined {
  let made: Expression[] | undefined
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] as Expression
    const left = pruned(part, ends)
    if (made === undefined && (left !== part || left === NEVER)) made = parts.slice(0, index)
    made?.push(left)
  }
  return made
}
