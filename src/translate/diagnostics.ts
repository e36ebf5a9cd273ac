import type { HarmonyEvent, Origin, RepairCode } from '../harmony/events.js'
import type { HarmonyParser, ParserPosition } from '../harmony/parser.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { TokenTable } from '../tokens/token-table.js'

/** What was noticed about a well-formed message, beside the parser's repairs. */
export type NoticeCode =
  | 'undeclared_recipient'
  | 'unavailable_tool'
  | 'blank_arguments'
  | 'call_cut_off'
  | 'fabricated_message'
  | 'result_without_call'
  | 'second_result'

/**
 * What the translator noticed beside the stream. A diagnostic never changes what was sent; it says what was repaired,
 * dropped or doubted. `explainDiagnostic` of `harmony-responses/diagnostics` puts it into words.
 */
export interface Diagnostic {
  readonly code: RepairCode | NoticeCode
  /** The model's text that is in no item because of this; absent where nothing was dropped. */
  readonly text?: string
  /** What it is about: a recipient, a tool's name, an item id, what the official parser said. */
  readonly subject?: string
  /** The number of the token (or text chunk) at which it was noticed, from 0 over everything that was pushed. */
  readonly index: number
}

/**
 * What happened and which tokens it came from, for timelines and for tests of conservation. Numbers count everything
 * that was pushed, from 0; a text chunk counts as one.
 */
export type Trace =
  | {
      readonly type: 'token'
      readonly index: number
      /** The token's id, or null for a text chunk. */
      readonly token: number | null
      /** The token's text, special tokens spelled as `<|markers|>`, incomplete characters as U+FFFD. */
      readonly text: string
      readonly origin: Origin
      /** Where the parser stood when it came. */
      readonly position: ParserPosition
    }
  | { readonly type: 'harmony'; readonly index: number; readonly event: HarmonyEvent }
  | {
      readonly type: 'event'
      /** The first and the last token that the event came from; both -1 for events before the first token. */
      readonly from: number
      readonly to: number
      readonly event: ResponseStreamEvent
    }

/** What a translator tells a tracer, and what it lets it push. Made by `traceTo` of `harmony-responses/trace`. */
export interface Tracer {
  /** Where the delta began that is not whole yet, for snapshots. */
  readonly deltaFrom: number
  /** Pushes a token into the parser. `gathered` tells how much text waits to be sent. */
  token(index: number, token: number, origin: Origin, parser: HarmonyParser, gathered: () => number): void
  /** Pushes a text chunk into the parser. */
  text(index: number, text: string, origin: Origin, parser: HarmonyParser, gathered: () => number): void
  harmony(event: HarmonyEvent): void
  event(event: ResponseStreamEvent, parser: HarmonyParser): void
}

/** Makes a tracer for one translator, at its start or where a snapshot was taken. */
export type TracerFactory = (start: {
  readonly tokenTable: TokenTable | undefined
  readonly index: number
  readonly deltaFrom: number
}) => Tracer
