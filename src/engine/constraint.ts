import type { Slices } from '../slices.js'

/**
 * What the sampled tokens have to spell, from the first one to the end of the stream: the body of one message.
 *
 * - `jsonSchema`: a JSON text that is valid against a JSON Schema; `{ type: 'object' }` allows any object.
 * - `regex`: a text that matches a regular expression as a whole.
 * - `grammar`: a text that a context-free grammar derives, in the syntax of Lark, or in GBNF, that of llama.cpp.
 */
export type Constraint =
  | { readonly jsonSchema: { readonly [keyword: string]: unknown } }
  | { readonly regex: string }
  | { readonly grammar: string; readonly syntax: 'lark' | 'gbnf' }

/** The kinds of constraints, as {@link EngineCapabilities} names them. */
export type ConstraintKind = 'json_schema' | 'regex' | 'lark' | 'gbnf'

/** What an engine does not hold of a constraint, and where. */
export interface UnsupportedConstraint {
  /** A JSON pointer into the schema, such as `/properties/a/not`; the empty string is all of it. */
  readonly path: string
  /** What is there, in words that a client may see. */
  readonly message: string
}

/** What an engine makes of a constraint. */
export interface FittedConstraint {
  /**
   * What it is sent in its place: a schema without some keywords, a grammar that says the same. Undefined if it would hold
   * nothing; the first of `relaxed` then says why.
   */
  readonly constraint: Constraint | undefined
  /** What it does not hold as a whole. All else is held. */
  readonly relaxed: readonly UnsupportedConstraint[]
  /**
   * How much work it is, in nodes of a grammar: a request whose constraints have too many together is held to less. The
   * same for the same constraint in any process. 0 for what another process compiles.
   */
  readonly nodes: number
}

/** What an engine can do. What is absent is unknown. */
export interface EngineCapabilities {
  /** The limit of prompt and answer tokens together. */
  readonly contextLength?: number
  /** The limit of the prompt alone, in tokens, where it is less than one below `contextLength`. */
  readonly maxPromptLength?: number
  /** What `constraint` may be. None if absent. */
  readonly constraints?: readonly ConstraintKind[]
  /** Whether log-probabilities can be requested beside a constraint. Not if absent. */
  readonly hasConstrainedLogprobs?: boolean
  /** Whether `sampling.seed` has an effect. If absent, it is taken to have one. */
  readonly hasSeed?: boolean
  /**
   * Whether the engine gives text, in which special tokens are spelled as `<|markers|>`, and nothing but those. Not if
   * absent: `respond` then takes token ids alone.
   */
  readonly spellsMarkers?: boolean
  /**
   * What the engine makes of a constraint of a kind that it names, in slices of some milliseconds. If absent, it holds all
   * of each. Pure, and the same again for what it gave.
   */
  readonly fit?: (constraint: Constraint) => Slices<FittedConstraint>
}

/** The kind of a constraint. */
export function constraintKind(constraint: Constraint): ConstraintKind {
  if ('jsonSchema' in constraint) return 'json_schema'
  return 'regex' in constraint ? 'regex' : constraint.syntax
}
