import type { Slices } from '../../shared/slices.js'
import { writeGbnf } from './gbnf/write-gbnf.js'
import { regexToGbnf } from './regex/regex-to-gbnf.js'
import { compileSchema } from './schema/compile-schema.js'
import type { Relaxation } from './schema/relaxations.js'

/** A constraint on a text: valid against a schema, matched by a regular expression, or allowed by GBNF. */
export type WrittenConstraint =
  | { readonly jsonSchema: unknown }
  | { readonly regex: string }
  | { readonly grammar: string }

export interface WrittenGrammar {
  /** In GBNF. */
  readonly grammar: string
  /** The parts of a schema that the grammar does not enforce. */
  readonly relaxed: readonly Relaxation[]
  /** The work that it took, and its size, in nodes. */
  readonly nodes: number
}

/** Characters of foreign GBNF that count as one node. */
const CHARACTERS_OF_NODE = 8

/** Writes a constraint as GBNF. @throws UnsupportedSchema if no grammar can enforce any of it */
export function* writtenGrammar(constraint: WrittenConstraint): Slices<WrittenGrammar> {
  // Begins each in a new slice, since schemas written before may have used up most of the current one.
  yield
  if ('jsonSchema' in constraint) {
    const { grammar, shared, relaxed, nodes } = yield* compileSchema(constraint.jsonSchema)
    yield
    return { grammar: yield* writeGbnf(grammar, shared), relaxed, nodes }
  }
  const grammar = 'regex' in constraint ? yield* regexToGbnf(constraint.regex) : constraint.grammar
  return { grammar, relaxed: [], nodes: Math.floor(grammar.length / CHARACTERS_OF_NODE) }
}
