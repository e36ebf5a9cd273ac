import type { Slices } from '../slices.js'
import { writeGbnf } from './gbnf/write-gbnf.js'
import { regexToGbnf } from './regex/regex-to-gbnf.js'
import { compileSchema } from './schema/compile-schema.js'
import type { Relaxation } from './schema/relaxations.js'

/** What a text has to be: valid against a schema, matched by a regular expression, or allowed by GBNF. */
export type Held = { readonly jsonSchema: unknown } | { readonly regex: string } | { readonly grammar: string }

export interface WrittenGrammar {
  /** In GBNF. */
  readonly grammar: string
  /** What the grammar leaves out of a schema. */
  readonly relaxed: readonly Relaxation[]
  /** What it took to make it, and how large it is, in nodes. */
  readonly nodes: number
}

/** Characters of GBNF that somebody else wrote are so many to a node. */
const CHARACTERS_OF_NODE = 8

/** What is held as GBNF. @throws UnsupportedSchema if no grammar holds any of it */
export function* writtenGrammar(held: Held): Slices<WrittenGrammar> {
  if ('jsonSchema' in held) {
    const { grammar, shared, relaxed, nodes } = yield* compileSchema(held.jsonSchema)
    return { grammar: yield* writeGbnf(grammar, shared), relaxed, nodes }
  }
  const grammar = 'regex' in held ? regexToGbnf(held.regex) : held.grammar
  return { grammar, relaxed: [], nodes: Math.floor(grammar.length / CHARACTERS_OF_NODE) }
}
