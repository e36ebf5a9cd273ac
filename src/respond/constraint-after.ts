import type { Constraint, ConstraintKind } from '../engine/constraint.js'
import { createMatcher, jsonSchemaToGbnf, type MatcherState, regexToGbnf, remaining } from '../grammar/index.js'

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
  if (!kinds.includes('gbnf')) return undefined
  try {
    return createMatcher(grammarOf(constraint)).accept(text)
  } catch {
    return undefined
  }
}

/** @throws UnsupportedSchema if it is none that we can write, and whatever a hostile schema can bring about */
function grammarOf(constraint: Constraint): string {
  if ('jsonSchema' in constraint) return jsonSchemaToGbnf(constraint.jsonSchema)
  if ('regex' in constraint) return regexToGbnf(constraint.regex)
  if (constraint.syntax === 'gbnf') return constraint.grammar
  throw new Error('a grammar of Lark cannot be written as GBNF')
}
