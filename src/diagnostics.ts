import type { RepairCode } from './harmony/events.js'
import type { Diagnostic, NoticeCode } from './translate/diagnostics.js'

/** What each code means, in a few words for a person. Not in the core: programs branch on the code. */
export const DIAGNOSTICS: Readonly<Record<RepairCode | NoticeCode, string>> = {
  // The parser's repairs: what was malformed, and what was made of it.
  repeated_start: '<|start|> inside a header: begun again',
  repeated_role: 'the role is written again',
  unknown_role: 'no known role: taken for the assistant',
  named_role: 'the role carries a name: taken for the author',
  role_is_channel: 'a channel in the place of the role',
  role_is_tool: 'a tool in the place of the role: taken for the recipient',
  missing_start: 'no <|start|>: taken for the assistant',
  missing_channel: 'no channel behind <|channel|>',
  missing_message: 'no <|message|>: the text after the header is the message',
  missing_end: 'no stop token: ended by what came next',
  missing_recipient: 'a tool message to nobody: taken for the assistant',
  misplaced_recipient: 'a recipient behind the content type',
  unknown_channel: 'not a channel of the format',
  misspelled_channel: 'a misspelled channel: the nearest is taken',
  repeated_channel: 'several channels: the last known one is taken',
  repeated_recipient: 'several recipients: the first is taken',
  bare_recipient: 'a recipient without "to="',
  content_type_without_recipient: 'a content type, but no recipient',
  extra_header_text: 'words that mean nothing in a header',
  unusual_header_spacing: 'white space where a header has none',
  marker_spelled_in_header: 'ordinary text with "<" in a header',
  dropped_header: 'a header without a message: dropped',
  truncated_header: 'the stream ended in a header: dropped',
  header_too_long: 'a header without end: taken for text',
  stray_text: 'text between messages: dropped',
  stray_marker: 'a marker without meaning: dropped',
  stray_terminator: 'a stop token between messages: dropped',
  reserved_token: 'a reserved token: dropped',
  unknown_token: 'an id outside the vocabulary: dropped',
  end_of_text: '<|endoftext|> ends the message',
  tokens_after_return: 'tokens after <|return|>: translated all the same',
  refused_token: 'the official parser refused a token',

  // The translator's notices: what was noticed about the request, or about a well-formed message.
  unknown_tool_type: 'a tool of a type that the API does not have: never called',
  undeclared_server: 'a listing or an approved call of an MCP server that the request does not declare',
  undeclared_recipient: 'a call to a tool that the request does not declare',
  unavailable_tool: 'a call to a tool that may not be called: failed',
  blank_arguments: 'a function call without arguments: given {}',
  unreadable_arguments: 'arguments that do not say what is wanted: the item is without it',
  call_cut_off: 'a call cut off before it was announced: dropped',
  fabricated_message: "a message in somebody else's name: dropped",
  result_without_call: 'a tool result for which no call waits: dropped',
  sampled_result: 'a result for a call that waits, as if the model had sampled it: dropped; was { host } forgotten?',
  second_result: 'a second result: the first stands',
  missing_result: 'a hosted call that never got its result: incomplete',
  nothing_sampled: 'the model sampled nothing: is the source empty, or used up?',
  missing_markers: 'no special token came: the engine has to keep them (skip_special_tokens: false)',
  spelled_ids: 'text that spells a token id: ids have to be numbers',
  repeated_count: 'a second count of the same tokens: the last stands',
}

/** A diagnostic in one line: its code, what it means, what it is about, and the text that was dropped. */
export function explainDiagnostic({ code, text, subject }: Diagnostic): string {
  const about = !subject ? '' : `; ${subject}`
  const dropped = text === undefined ? '' : `; not in any item: ${JSON.stringify(text)}`
  return `${code}: ${DIAGNOSTICS[code]}${about}${dropped}`
}
