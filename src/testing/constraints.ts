import {
  type Constraint,
  type ConstraintKind,
  constraintKind,
  type UnsupportedConstraint,
} from '../engine/constraint.js'
import { BadGrammar, createMatcher, jsonSchemaToGbnf, regexToGbnf, UnsupportedSchema } from '../grammar/index.js'

/** What a scripted engine can hold. */
export const SCRIPTED_CONSTRAINTS: readonly ConstraintKind[] = Object.freeze(['json_schema', 'regex', 'gbnf'] as const)

/** Why an engine that holds these kinds would not hold a constraint. */
export function refusalOf(constraint: Constraint, kinds: readonly ConstraintKind[]): UnsupportedConstraint | undefined {
  const kind = constraintKind(constraint)
  if (!kinds.includes(kind)) return { path: '', message: `The engine holds no constraint of kind ${kind}.` }
  try {
    const gbnf = gbnfOf(constraint)
    if (kind === 'gbnf') createMatcher(gbnf)
    return undefined
  } catch (error) {
    if (error instanceof UnsupportedSchema) return { path: error.path, message: error.message }
    if (error instanceof BadGrammar) return { path: '', message: error.message }
    throw error
  }
}

/** The grammar of a constraint that is not refused. */
export function gbnfOf(constraint: Constraint): string {
  if ('jsonSchema' in constraint) return jsonSchemaToGbnf(constraint.jsonSchema)
  return 'regex' in constraint ? regexToGbnf(constraint.regex) : constraint.grammar
}
