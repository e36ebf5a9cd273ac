/** The author of a token in the transcript: the model, which sampled it, or the host. */
export type Origin = 'model' | 'host'

/** The role of a message, as its header says it. `tool` is every author that is none of the others. */
export type Role = 'assistant' | 'user' | 'system' | 'developer' | 'tool'

/** The fields of a Harmony message header. A field is absent if the header lacked it. */
export interface HarmonyHeader {
  /** The role, `assistant` if the header has none that is known. */
  role: Role
  /** The author: a tool message's tool (`functions.get_weather`), or the name in `user:alice`. */
  name?: string
  /** The addressee, as written: `functions.get_weather`, `python`, `assistant`. */
  recipient?: string
  /** `analysis`, `commentary` or `final`; another word only if the model made one up beside a recipient. */
  channel?: string
  /** `json`, `code`, ...; without the `<|constrain|>` marker. */
  contentType?: string
  /** Whether the content type was marked with `<|constrain|>`. */
  constrained?: boolean
}

/**
 * The end of a message: a stop token by its name; `implicit` if the next message began without one; `turn` if the
 * model's turn or the stream ended without one (engines that swallow the stop token, length limits).
 */
export type Terminator = 'end' | 'call' | 'return' | 'endoftext' | 'implicit' | 'turn'

/** The kind of repair that a malformed stretch of Harmony got. `src/core/diagnostics/index.ts` explains each. */
export type RepairCode =
  | 'repeated_start'
  | 'repeated_role'
  | 'unknown_role'
  | 'named_role'
  | 'role_is_channel'
  | 'role_is_tool'
  | 'missing_start'
  | 'missing_channel'
  | 'missing_message'
  | 'missing_end'
  | 'misplaced_recipient'
  | 'missing_recipient'
  | 'unknown_channel'
  | 'misspelled_channel'
  | 'repeated_channel'
  | 'repeated_recipient'
  | 'bare_recipient'
  | 'constrained_recipient'
  | 'content_type_without_recipient'
  | 'extra_header_text'
  | 'unusual_header_spacing'
  | 'marker_spelled_in_header'
  | 'dropped_header'
  | 'truncated_header'
  | 'header_too_long'
  | 'stray_text'
  | 'stray_marker'
  | 'stray_terminator'
  | 'reserved_token'
  | 'unknown_token'
  | 'end_of_text'
  | 'tokens_after_return'
  | 'refused_token'
  | 'assumed_reasoning'
  | 'undecided_text'
  | 'repeated_answer'

/** A repair: the kind, and the model's text that was dropped because of it. */
export interface Repair {
  /** The kind of the repair, to branch on. */
  readonly code: RepairCode
  /** The model's text that ended up in no message because of this repair. Absent if nothing was dropped. */
  readonly text?: string
  /** The official parser's error message; the length of a repeated answer, in UTF-16 units. */
  readonly subject?: string
}

/** Creates a repair, without `text` if that is empty. */
export function repair(code: RepairCode, text = ''): Repair {
  return text === '' ? { code } : { code, text }
}

/** An event of a Harmony parser, in stream order. Between a start and its end come only texts and repairs. */
export type HarmonyEvent =
  /** A message begins, with its whole header. `origin` is the author of what comes: the model, or the host. */
  | { readonly type: 'message_start'; readonly header: HarmonyHeader; readonly origin: Origin }
  /** More text of the open message, never empty. */
  | { readonly type: 'message_text'; readonly text: string; readonly origin: Origin }
  /** The open message ends: `terminator` says by what. */
  | { readonly type: 'message_end'; readonly terminator: Terminator; readonly origin: Origin }
  /** Malformed Harmony was read in some way that `repair` names. */
  | { readonly type: 'repair'; readonly repair: Repair }

/** A complete message, as the official parser would list it. */
export interface HarmonyMessage extends HarmonyHeader {
  /** The whole text of the message. */
  content: string
}
