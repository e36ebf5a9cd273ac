import { type Constraint, type ConstraintKind, constraintKind } from '../../engine/constraint.js'
import { createMatcher, type MatcherState, remaining } from '../../grammar/index.js'
import { gbnfOf } from '../../sources/gbnf.js'

/**
 * Returns the constraint of the rest of a body that another process began. Undefined if no grammar expresses it: the
 * rest is then unconstrained, and checked at the end like everything else.
 *
 * @param text - whole characters
 */
export function constraintAfter(
  constraint: Constraint,
  text: string,
  kinds: readonly ConstraintKind[],
): Constraint | undefined {
  if (text === '') return constraint
  const state = stateAfter(constraint, text, kinds)
  try {
    return state && { grammar: remaining(state), syntax: 'gbnf', isJson: 'jsonSchema' in constraint }
  } catch {
    return undefined
  }
}

/**
 * Returns a body's state in the grammar of its constraint. Undefined if the engine takes no grammar, if ours cannot
 * hold the constraint, or if the engine that began the body allowed what ours rejects.
 */
export function stateAfter(
  constraint: Constraint,
  text: string,
  kinds: readonly ConstraintKind[],
): MatcherState | undefined {
  // A Lark grammar cannot be converted to GBNF.
  if (!kinds.includes('gbnf') || constraintKind(constraint) === 'lark') return undefined
  try {
    return createMatcher(gbnfOf(constraint)).accept(text)
  } catch {
    return undefined
  }
}
