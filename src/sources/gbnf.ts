import type { Constraint, EngineCapabilities, FittedConstraint } from '../engine/constraint.js'
import { UnsupportedSchema, writtenGrammar } from '../grammar/index.js'
import { atOnce, type Slices } from '../slices.js'
import { cachedGrammars, type WriteGrammar } from './grammar-cache.js'

/** What llama.cpp can hold, in a server or in this process: what can be written in GBNF. */
export const GBNF_CAPABILITIES: EngineCapabilities = {
  constraints: ['json_schema', 'regex', 'gbnf'],
  hasConstrainedLogprobs: true,
  fit: (constraint) => fittedOrNot(fitGbnf(constraint)),
}

/** What the grammars that are kept and their constraints may have together, in UTF-16 code units: some 16 MB. */
const MOST_CHARACTERS = 8_000_000

/** A constraint as GBNF, and what that leaves out. @throws UnsupportedSchema if there is no grammar of it */
const writtenGbnf: WriteGrammar = /* @__PURE__ */ cachedGrammars(writtenGrammar, MOST_CHARACTERS)

/** What is held of a constraint in GBNF, which is all that is not relaxed. @throws UnsupportedSchema if nothing is */
export function* fitGbnf(constraint: Constraint): Slices<FittedConstraint> {
  const { grammar, relaxed, nodes } = yield* writtenGbnf(constraint)
  return { constraint: { grammar, syntax: 'gbnf' }, relaxed, nodes }
}

/** What is held of a constraint, or that nothing is. */
export function* fittedOrNot(fitting: Slices<FittedConstraint>): Slices<FittedConstraint> {
  try {
    return yield* fitting
  } catch (error) {
    if (!(error instanceof UnsupportedSchema)) throw error
    return { constraint: undefined, relaxed: [{ path: error.path, message: error.message }], nodes: 0 }
  }
}

/**
 * A constraint as GBNF, without what {@link GBNF_CAPABILITIES} say that is relaxed.
 *
 * @param constraint - one of which they hold anything
 */
export function gbnfOf(constraint: Constraint): string {
  return atOnce(writtenGbnf(constraint)).grammar
}
