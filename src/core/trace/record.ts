import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { HarmonyEvent, HarmonyHeader, Origin, Terminator } from '../harmony/events.js'
import type { ParserPosition } from '../harmony/parser.js'
import type { ResponseStreamEvent } from '../responses/events.js'

/** A token or a text chunk, before it is parsed. */
export interface TokenRecord {
  readonly type: 'token'
  /** Its index among all that was pushed, from 0. */
  readonly index: number
  /** Its id, or null for a text chunk. */
  readonly token: number | null
  /** Its text, special tokens spelled as `<|markers|>`, incomplete characters as U+FFFD. */
  readonly text: string
  /** Its author. */
  readonly origin: Origin
  /** The parser's position before it. */
  readonly position: ParserPosition
  /** The tool whose whole message the host pushed: `text` is its output, in which no marker counts. Else absent. */
  readonly author?: string
  /** The ids of the host's text. Absent for a token, for the model's text, without a token table, and of `traceTo`. */
  readonly ids?: readonly number[]
  /** The natural logarithm of its probability, at least -9999. Absent if the engine sent none. */
  readonly logprob?: number
  /** The most likely tokens in its place, best first. Absent if the engine sent none. */
  readonly alternatives?: readonly TokenAlternative[]
}

/** A token that the model might have sampled. */
export interface TokenAlternative {
  /** Its id. */
  readonly token: number
  /** Its text. */
  readonly text: string
  /** The natural logarithm of its probability, at least -9999. */
  readonly logprob: number
}

/** An event of the parser, while it read the token `index`. */
export interface HarmonyRecord {
  readonly type: 'harmony'
  /** The token that it read. */
  readonly index: number
  /** What the parser reported. */
  readonly event: HarmonyEvent
}

/** A whole Harmony message, once it has ended. */
export interface MessageRecord {
  readonly type: 'message'
  /** Its first token: `<|start|>`, or the first of its header. */
  readonly from: number
  /** Its last token. */
  readonly to: number
  /** Its author. */
  readonly origin: Origin
  /** Its header. */
  readonly header: HarmonyHeader
  /** How it ended. */
  readonly terminator: Terminator
}

/** An event of the response, and the tokens that it came from. */
export interface EventRecord {
  readonly type: 'event'
  /**
   * The first of its tokens: of a delta, that of its text; of another event of an item, that of the message in which the
   * item began. -1 before the first token.
   */
  readonly from: number
  /** The last of them: the token with which it was emitted. -1 before the first token. */
  readonly to: number
  /** The event. */
  readonly event: ResponseStreamEvent
  /** Of an item that the host inserted: it came from no token. */
  readonly inserted?: true
}

/** A diagnostic, with its explanation. */
export interface DiagnosticRecord extends Diagnostic {
  readonly type: 'diagnostic'
  /** What it means, in a sentence. */
  readonly explanation: string
}

/** What became of each token, in order. Plain JSON. `type` narrows it. */
export type TraceRecord = TokenRecord | HarmonyRecord | MessageRecord | EventRecord | DiagnosticRecord
