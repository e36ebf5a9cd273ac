import { type Constraint, type ConstraintKind, constraintKind } from '../../engine/constraint.js'
import { createMatcher, type MatcherState, remaining } from '../../grammar/index.js'
import { gbnfOf } from '../../sources/gbnf.js'

/**
 * What the rest of a body has to spell whose beginning is there: another process began it. Undefined if no grammar says
 * that: then the rest is free, and is checked in the end as everything is.
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
    return state && { grammar: remaining(state), syntax: 'gbnf' }
  } catch {
    return undefined
  }
}

/**
 * Where a body stands in the grammar of its constraint. Undefined if the engine takes no grammar, if ours does not hold
 * the constraint, or if the engine that began the body allowed what ours does not.
 */
export function stateAfter(
  constraint: Constraint,
  text: string,
  kinds: readonly ConstraintKind[],
): MatcherState | undefined {
  // A grammar of Lark cannot be written as GBNF.
  if (!kinds.includes('gbnf') || constraintKind(constraint) === 'lark') return undefined
  try {
    return createMatcher(gbnfOf(constraint)).accept(text)
  } catch {
    return undefined
  }
}
