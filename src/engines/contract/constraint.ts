import type { Slices } from '../../shared/slices.js'

// In names and comments of this library, an engine that "enforces" a constraint enforces all of it.

/**
 * A constraint on the text of the sampled tokens, from the first one to the end of the stream: the body of one message.
 *
 * - `jsonSchema`: a JSON text that is valid against a JSON Schema; `{ type: 'object' }` allows any object.
 * - `regex`: a text that matches a regular expression as a whole.
 * - `grammar`: a text that a context-free grammar derives, in the syntax of Lark, or in GBNF, that of llama.cpp. With
 *   `isJson`, the text is JSON or the rest of one: an engine may enforce another grammar of the same JSON values.
 */
export type Constraint =
  /** A plain object: the keywords of a JSON Schema. */
  | { readonly jsonSchema: { readonly [keyword: string]: unknown } }
  /** The pattern, without slashes and anchors. */
  | { readonly regex: string }
  /** The whole grammar as a text, and its syntax. `isJson` is false unless given. */
  | { readonly grammar: string; readonly syntax: 'lark' | 'gbnf'; readonly isJson?: boolean }

/** The kinds of constraints, as {@link EngineCapabilities} names them. */
export type ConstraintKind = 'json_schema' | 'regex' | 'lark' | 'gbnf'

/** A part of a constraint that an engine does not enforce. */
export interface UnsupportedConstraint {
  /** A JSON pointer into the schema, such as `/properties/a/not`; the empty string is all of it. */
  readonly path: string
  /** A description of that part, in words that a client may see. */
  readonly message: string
}

/** A constraint as an engine enforces it. */
export interface FittedConstraint {
  /**
   * The constraint that is sent in its place: a schema without some keywords, or an equivalent grammar. Undefined if it
   * would enforce nothing; the first of `relaxed` then says why.
   */
  readonly constraint: Constraint | undefined
  /** The parts that it does not enforce completely. */
  readonly relaxed: readonly UnsupportedConstraint[]
  /**
   * Its cost in nodes of a grammar, the same in any process. A request whose constraints cost too much together is
   * constrained less. 0 if another process compiles it.
   */
  readonly nodes: number
}

/** The capabilities of an engine. An absent one is unknown. */
export interface EngineCapabilities {
  /** The limit of prompt and answer tokens together. */
  readonly contextLength?: number
  /** The limit of the prompt alone, in tokens, if it is lower than `contextLength` implies. */
  readonly maxPromptLength?: number
  /** The kinds of `constraint` that it supports. Default: none. */
  readonly constraints?: readonly ConstraintKind[]
  /** Whether log-probabilities can be requested together with a constraint. Default: false. */
  readonly hasConstrainedLogprobs?: boolean
  /** Whether `sampling.seed` has an effect. Default: true. */
  readonly hasSeed?: boolean
  /**
   * Whether the engine returns text in which special tokens, and nothing else, are spelled as `<|markers|>`. Default:
   * false; `respond` then accepts token ids only.
   */
  readonly spellsMarkers?: boolean
  /**
   * Whether the engine reads the prompt back into messages for a server that renders its own, with `promptFields`. The counts of
   * tokens are then the server's, and nothing can be written in the middle of the model's turn. Default: ids.
   */
  readonly takes?: 'messages'
  /**
   * Whether the schemas of `promptFields` are passed to a server that claims to enforce them. They are checked afterwards in any
   * case. Default: false.
   */
  readonly passesSchemas?: boolean
  /**
   * Where in a turn of the model a call can continue another one that died. Default: `anywhere`, and with `spellsMarkers`
   * `turn`.
   *
   * - `anywhere`: after any token.
   * - `answer`: between messages, in an answer, and in reasoning, of which it writes the whole message again.
   * - `reasoning`: the same, but not in an answer.
   * - `turn`: only before anything of the turn is written.
   */
  readonly continues?: 'anywhere' | 'answer' | 'reasoning' | 'turn'
  /** Whether its model sees the images of `promptFields`. Default: false. */
  readonly seesImages?: boolean
  /**
   * Fits a constraint of a supported kind to the engine, in slices of some milliseconds. Pure, and idempotent. Default:
   * the engine enforces each constraint completely.
   */
  readonly fit?: (constraint: Constraint) => Slices<FittedConstraint>
}

/** Returns the kind of a constraint. */
export function constraintKind(constraint: Constraint): ConstraintKind {
  if ('jsonSchema' in constraint) return 'json_schema'
  return 'regex' in constraint ? 'regex' : constraint.syntax
}
