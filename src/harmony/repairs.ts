import type { Repair, RepairCode } from './events.js'

/** What each repair means, in one sentence for a person. The README's table of diagnostics is made from it. */
export const REPAIRS: Readonly<Record<RepairCode, string>> = {
  repeated_start: '<|start|> inside a header: begun again',
  repeated_role: 'the role is written again',
  unknown_role: 'no known role: taken for the assistant',
  named_role: 'the role carries a name: taken for the author',
  role_is_channel: 'a channel in the place of the role',
  role_is_tool: 'a tool in the place of the role: taken for the recipient',
  missing_start: 'no <|start|>: taken for the assistant',
  missing_channel: 'no channel behind <|channel|>',
  missing_message: 'no <|message|>: the text after the header is the message',
  missing_end: 'no stop token: ended by the next marker',
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
}

/** A repair with its standing sentence. `text` is the model's text that ends up in no message because of it. */
export function repair(code: RepairCode, text?: string): Repair {
  return text === undefined || text === '' ? { code, message: REPAIRS[code] } : { code, message: REPAIRS[code], text }
}
