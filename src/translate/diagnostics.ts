import type { RepairCode } from '../harmony/events.js'

/** What was noticed about a well-formed message, beside the parser's repairs. */
export type NoticeCode =
  | 'unknown_tool_type'
  | 'undeclared_server'
  | 'undeclared_recipient'
  | 'unavailable_tool'
  | 'blank_arguments'
  | 'unreadable_arguments'
  | 'call_cut_off'
  | 'fabricated_message'
  | 'sampled_result'
  | 'result_without_call'
  | 'second_result'
  | 'missing_result'
  | 'nothing_sampled'
  | 'missing_markers'
  | 'spelled_ids'
  | 'repeated_count'

/**
 * What the translator noticed beside the stream. A diagnostic never changes what was sent; it says what was repaired,
 * dropped or doubted. `explainDiagnostic` of `harmony-responses/diagnostics` puts it into words.
 */
export interface Diagnostic {
  readonly code: RepairCode | NoticeCode
  /** The model's text that is in no item because of this; absent where nothing was dropped. */
  readonly text?: string
  /** What it is about: a recipient, a tool's name or type, a server's label, an item id, what the official parser said. */
  readonly subject?: string
  /** The number of the token (or text chunk) at which it was noticed, from 0 over everything that was pushed. */
  readonly index: number
}
