import { atOnce, type Slices } from '../../shared/slices.js'
import type { Constraint, EngineCapabilities, FittedConstraint } from '../contract/constraint.js'
import { UnsupportedSchema, writtenGrammar } from '../grammar/index.js'
import { cachedGrammars, type WriteGrammar } from './grammar-cache.js'

/** The capabilities of llama.cpp, in a server or in this process: constraints that GBNF can express. */
export const GBNF_CAPABILITIES: EngineCapabilities = {
  constraints: ['json_schema', 'regex', 'gbnf'],
  hasConstrainedLogprobs: true,
  fit: (constraint) => fittedOrNot(fitGbnf(constraint)),
}

/** The limit of cached grammars and their constraints, in UTF-16 code units: some 16 MB. */
const MAX_CHARACTERS = 8_000_000

/** Writes a constraint as GBNF, with its relaxations. @throws UnsupportedSchema if no grammar expresses it */
const writtenGbnf: WriteGrammar = /* @__PURE__ */ cachedGrammars(writtenGrammar, MAX_CHARACTERS)

/** Fits a constraint to GBNF: everything that is not relaxed is enforced. @throws UnsupportedSchema if nothing is */
export function* fitGbnf(constraint: Constraint): Slices<FittedConstraint> {
  const { grammar, relaxed, nodes } = yield* writtenGbnf(constraint)
  return { constraint: { grammar, syntax: 'gbnf' }, relaxed, nodes }
}

/** Fits a constraint, or reports that nothing of it is enforced. */
export function* fittedOrNot(fitting: Slices<FittedConstraint>): Slices<FittedConstraint> {
  try {
    return yield* fitting
  } catch (error) {
    if (!(error instanceof UnsupportedSchema)) throw error
    return { constraint: undefined, relaxed: [{ path: error.path, message: error.message }], nodes: 0 }
  }
}

/**
 * Returns a constraint as GBNF, without the relaxed parts that {@link GBNF_CAPABILITIES} report.
 *
 * @param constraint - one that is enforced at least in part
 */
export function gbnfOf(constraint: Constraint): string {
  return atOnce(gbnfInSlices(constraint))
}

/** Does the same in slices. */
export function* gbnfInSlices(constraint: Constraint): Slices<string> {
  return (yield* writtenGbnf(constraint)).grammar
}
