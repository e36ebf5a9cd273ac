import type { RepairCode } from '../harmony/events.js'

/** Codes of the translator's own diagnostics, about well-formed messages; the parser's are `RepairCode`. */
export type NoticeCode =
  | 'unknown_tool_type'
  | 'undeclared_server'
  | 'undeclared_recipient'
  | 'misspelled_recipient'
  | 'unavailable_tool'
  | 'blank_arguments'
  | 'text_after_arguments'
  | 'unreadable_arguments'
  | 'call_cut_off'
  | 'fabricated_message'
  | 'invented_result'
  | 'sampled_result'
  | 'result_without_call'
  | 'second_result'
  | 'missing_result'
  | 'nothing_sampled'
  | 'missing_markers'
  | 'spelled_ids'
  | 'repeated_count'
  | 'compaction_failed'
  | 'compaction_too_long'
  | 'ignored_parameter'
  | 'unhosted_tool'
  | 'unknown_mcp_server'
  | 'unapprovable_tool'
  | 'unread_attachment'
  | 'relaxed_schema'
  | 'estimated_usage'
  | 'engine_restarted'
  | 'unopened_seal'
  | 'unknown_input'

/**
 * A report of what was repaired, dropped or suspicious. It never changes the stream. `explainDiagnostic` of
 * `harmony-responses/diagnostics` explains it.
 */
export interface Diagnostic {
  /** What happened, to branch on: a repair of malformed Harmony, or a notice. */
  readonly code: RepairCode | NoticeCode
  /** The model's text that ended up in no item because of this; absent if nothing was dropped. */
  readonly text?: string
  /**
   * The subject: a recipient, a tool's name or type, a parameter, a server's label, an item id, a count, the official
   * parser's error.
   */
  readonly subject?: string
  /** Index of the token (or text chunk) that caused it, counting everything that was pushed from 0. -1 if none did. */
  readonly index: number
}
