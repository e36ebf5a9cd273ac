import type { Constraint, EngineCapabilities, UnsupportedConstraint } from '../engine/constraint.js'
import { compileSchema, regexToGbnf, unsupportedIn, writeGbnf } from '../grammar/index.js'
import { atOnce, type Slices } from '../slices.js'
import { cachedGrammars, type WriteGrammar, type WrittenGrammar } from './grammar-cache.js'

/** What llama.cpp can hold, in a server or in this process: what can be written in GBNF. */
export const GBNF_CAPABILITIES: EngineCapabilities = {
  constraints: ['json_schema', 'regex', 'gbnf'],
  hasConstrainedLogprobs: true,
  refuses: refusalOf,
  relaxes: (constraint) => writtenGbnf(constraint),
}

/** What the grammars that are kept and their constraints may have together, in UTF-16 code units: some 16 MB. */
const MOST_CHARACTERS = 8_000_000

/** A constraint as GBNF, and what that leaves out. @throws UnsupportedSchema if there is no grammar of it */
export const writtenGbnf: WriteGrammar = /* @__PURE__ */ cachedGrammars(write, MOST_CHARACTERS)

/**
 * A constraint as GBNF, without what {@link GBNF_CAPABILITIES} say that is relaxed.
 *
 * @param constraint - one that they name and do not refuse
 */
export function gbnfOf(constraint: Constraint): string {
  return atOnce(writtenGbnf(constraint)).grammar
}

function* write(constraint: Constraint): Slices<WrittenGrammar> {
  if (!('jsonSchema' in constraint)) {
    const grammar = 'regex' in constraint ? regexToGbnf(constraint.regex) : constraint.grammar
    return { grammar, relaxed: [], nodes: grammar.length >> 3 }
  }
  const { grammar, shared, relaxed, nodes } = yield* compileSchema(constraint.jsonSchema)
  return { grammar: yield* writeGbnf(grammar, shared), relaxed, nodes }
}

function refusalOf(constraint: Constraint): UnsupportedConstraint | undefined {
  return unsupportedIn(() => gbnfOf(constraint))
}
