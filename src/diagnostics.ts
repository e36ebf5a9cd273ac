import type { RepairCode } from './harmony/events.js'
import type { Diagnostic, NoticeCode } from './translate/diagnostics.js'

/** What each code means, in a few words for a person. Not in the core: programs branch on the code. */
export const DIAGNOSTICS: Readonly<Record<RepairCode | NoticeCode, string>> = {
  // The parser's repairs: what was malformed, and what was made of it.
  repeated_start: '<|start|> inside a header: the header starts over',
  repeated_role: 'the role appears twice',
  unknown_role: 'an unknown role: read as the assistant',
  named_role: 'the role has a name: read as the author',
  role_is_channel: 'a channel instead of a role',
  role_is_tool: 'a tool instead of a role: read as the recipient',
  missing_start: 'no <|start|>: read as the assistant',
  missing_channel: 'no channel after <|channel|>',
  missing_message: 'no <|message|>: the text after the header becomes the message',
  missing_end: 'no stop token: what came next ends the message',
  missing_recipient: 'a tool message without a recipient: read as sent to the assistant',
  misplaced_recipient: 'a recipient after the content type',
  unknown_channel: 'not a channel of the format',
  misspelled_channel: 'a misspelled channel: read as the nearest one',
  repeated_channel: 'several channels: the last known one counts',
  repeated_recipient: 'several recipients: the first counts',
  bare_recipient: 'a recipient without "to="',
  content_type_without_recipient: 'a content type, but no recipient',
  extra_header_text: 'words without meaning in a header',
  unusual_header_spacing: 'unexpected white space in a header',
  marker_spelled_in_header: 'ordinary text with "<" in a header',
  dropped_header: 'a header without a message: dropped',
  truncated_header: 'the stream ended in a header: dropped',
  header_too_long: 'a header that does not end: read as text',
  stray_text: 'text between messages: dropped',
  stray_marker: 'a marker without meaning: dropped',
  stray_terminator: 'a stop token between messages: dropped',
  reserved_token: 'a reserved token: dropped',
  unknown_token: 'an id outside the vocabulary: dropped',
  end_of_text: '<|endoftext|> ends the message',
  tokens_after_return: 'tokens after <|return|>: translated anyway',
  refused_token: 'the official parser refused a token',

  // The translator's notices: what was noticed about the request, or about a well-formed message.
  unknown_tool_type: 'a tool of a type that the API does not define: it is never called',
  undeclared_server: 'a listing or an approved call of an MCP server that the request does not declare',
  undeclared_recipient: 'a call to a tool that the request does not declare',
  unavailable_tool: 'a call to a tool that is not allowed: failed',
  blank_arguments: 'a function call without arguments: given {}',
  unreadable_arguments: 'arguments that cannot be read: the item lacks what they should say',
  call_cut_off: 'a call cut off before it was announced: dropped',
  fabricated_message: "a message in someone else's name: dropped",
  result_without_call: 'a tool result that no call waits for: dropped',
  sampled_result: 'a result for a waiting call, marked as sampled by the model: dropped; was { host } forgotten?',
  second_result: 'a second result: the first counts',
  missing_result: 'a hosted call that never got a result: incomplete',
  nothing_sampled: 'the model sampled nothing: is the source empty or used up?',
  missing_markers: 'no special tokens: the engine must keep them (skip_special_tokens: false)',
  spelled_ids: 'text that spells token ids: ids must be numbers',
  repeated_count: 'a second count of the same tokens: the last counts',
}

/** A diagnostic in one line: its code, what it means, what it is about, and the text that was dropped. */
export function explainDiagnostic({ code, text, subject }: Diagnostic): string {
  const about = !subject ? '' : `; ${subject}`
  const dropped = text === undefined ? '' : `; not in any item: ${JSON.stringify(text)}`
  return `${code}: ${DIAGNOSTICS[code]}${about}${dropped}`
}
