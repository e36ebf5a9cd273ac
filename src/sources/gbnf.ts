import type { Constraint, EngineCapabilities, UnsupportedConstraint } from '../engine/constraint.js'
import { jsonSchemaToGbnf, regexToGbnf, UnsupportedSchema } from '../grammar/index.js'

/** What llama.cpp can hold, in a server or in this process: what can be written in GBNF. */
export const GBNF_CAPABILITIES: EngineCapabilities = {
  constraints: ['json_schema', 'regex', 'gbnf'],
  hasConstrainedLogprobs: true,
  refuses: refusalOf,
}

/**
 * A constraint as GBNF.
 *
 * @param constraint - one that {@link GBNF_CAPABILITIES} name and do not refuse
 */
export function gbnfOf(constraint: Constraint): string {
  if ('jsonSchema' in constraint) return jsonSchemaToGbnf(constraint.jsonSchema)
  return 'regex' in constraint ? regexToGbnf(constraint.regex) : constraint.grammar
}

function refusalOf(constraint: Constraint): UnsupportedConstraint | undefined {
  try {
    gbnfOf(constraint)
    return undefined
  } catch (error) {
    if (!(error instanceof UnsupportedSchema)) throw error
    return { path: error.path, message: error.message }
  }
}
