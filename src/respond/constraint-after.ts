import type { Constraint, ConstraintKind } from '../engine/constraint.js'
import { createMatcher, jsonSchemaToGbnf, regexToGbnf, remaining } from '../grammar/index.js'

/**
 * What the rest of a body has to spell whose beginning is there: another process began it. Only a grammar says that of a
 * rest. Undefined if the engine takes none, if ours does not hold the constraint, or if the engine that began the body
 * allowed what ours does not: then the rest is free, and is checked in the end as everything is.
 */
export function constraintAfter(
  constraint: Constraint,
  text: string,
  kinds: readonly ConstraintKind[],
): Constraint | undefined {
  if (text === '') return constraint
  if (!kinds.includes('gbnf')) return undefined
  try {
    const state = createMatcher(grammarOf(constraint)).accept(text)
    return state && { grammar: remaining(state), syntax: 'gbnf' }
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
