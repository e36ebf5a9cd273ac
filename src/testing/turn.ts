import type { Channel } from '../core/harmony/vocabulary.js'

/** A message as the model writes it. {@link think}, {@link preamble}, {@link answer} and {@link call} make one. */
export interface ScriptedMessage {
  /** The channel: `analysis`, `commentary` or `final`. */
  readonly channel: Channel
  /** Its text. Always ordinary text: a `<|end|>` in it is seven characters. */
  readonly text: string
  /** The recipient: `functions.get_weather`, `python`, `LABEL.tool`. */
  readonly to?: string
  /** Default: none. `json` is marked with `<|constrain|>`, as the model does it. */
  readonly contentType?: string
  /** The terminator if it is the turn's last message. Default `end`, which ends no turn: the model is cut off there. */
  readonly ends?: 'end' | 'call' | 'return'
}

/** The engine fails. {@link fail} makes one. */
export interface ScriptedFailure {
  /** The error that the engine throws, usually an `EngineError`. */
  readonly fail: Error
}

/** Nothing more comes until the call is closed. {@link hang} makes one. */
export interface ScriptedHang {
  readonly hang: true
}

/** The first tokens of a turn. {@link firstTokens} makes one. */
export interface ScriptedBeginning {
  /** How many tokens: a whole number from 0. */
  readonly first: number
  /** The turn that they begin. */
  readonly of: ScriptedTurn
}

/** A piece of a turn: Harmony with literal `<|markers|>`, a token id, a message, or a failure. */
export type ScriptedPiece = string | number | ScriptedMessage | ScriptedFailure | ScriptedHang | ScriptedBeginning

/**
 * The model's output after `<|start|>assistant`, up to its stop token.
 *
 * Messages of a list are written one after the other: each ends with `<|end|>`, the last with the token that ends the
 * turn (`<|return|>` of an answer, `<|call|>` of a call), and one before a failure or a hang is left open. A turn
 * without a stop token ends as that of a model whose context is full: `max_output_tokens`.
 */
export type ScriptedTurn = ScriptedPiece | readonly ScriptedPiece[]
