import type { Constraint, EngineCapabilities, UnsupportedConstraint } from '../engine/constraint.js'
import { jsonSchemaToGbnf, regexToGbnf, UnsupportedSchema } from '../grammar/index.js'
import { cachedGrammars } from './grammar-cache.js'

/** What llama.cpp can hold, in a server or in this process: what can be written in GBNF. */
export const GBNF_CAPABILITIES: EngineCapabilities = {
  constraints: ['json_schema', 'regex', 'gbnf'],
  hasConstrainedLogprobs: true,
  refuses: refusalOf,
}

/** What the grammars that are kept and their constraints may have together, in UTF-16 code units: some 16 MB. */
const MOST_CHARACTERS = 8_000_000

/**
 * A constraint as GBNF.
 *
 * @param constraint - one that {@link GBNF_CAPABILITIES} name and do not refuse
 */
export const gbnfOf: (constraint: Constraint) => string = /* @__PURE__ */ cachedGrammars(writeGbnf, MOST_CHARACTERS)

function writeGbnf(constraint: Constraint): string {
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
