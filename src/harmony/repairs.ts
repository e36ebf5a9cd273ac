import type { Repair, RepairCode } from './events.js'

/** What each repair means, in one sentence for a person. The README's table of diagnostics is made from it. */
export const REPAIRS: Readonly<Record<RepairCode, string>> = {
  repeated_start: 'a <|start|> came inside a header; the header was begun again',
  repeated_role: 'the role was written more than once; once is enough',
  unknown_role: 'the header names no known role; it is read as the assistant',
  named_role: 'the role carries a name, which the official parser refuses; it is read as the author',
  role_is_channel: 'a channel name stands where the role belongs; it is read as the channel',
  role_is_tool: 'a tool name stands where the role belongs; it is read as the recipient of a call',
  missing_start: 'a message began without <|start|>; the assistant is taken to speak',
  missing_channel: 'the header has no channel value',
  missing_message: 'the header was not closed by <|message|>; the text after it is read as the message',
  missing_end: 'a marker of the next message came before the stop token; the message was ended there',
  misplaced_recipient: 'a recipient stands behind the content type; it was taken all the same',
  missing_recipient: 'a tool message is addressed to nobody; the assistant is meant',
  unknown_channel: 'the channel is not one of analysis, commentary and final',
  misspelled_channel: 'the channel is misspelled; the nearest known one was taken',
  repeated_channel: 'several channels were written; the last known one was taken',
  repeated_recipient: 'several recipients were written; the first one was taken',
  bare_recipient: 'the recipient was written without "to="',
  content_type_without_recipient: 'a content type was written without a recipient; it addresses no tool',
  extra_header_text: 'the header holds text that has no meaning there',
  unusual_header_spacing: 'the header has white space where the format has none',
  marker_spelled_in_header: 'the header holds ordinary text with "<", which is no marker',
  dropped_header: 'a header without a message was dropped',
  truncated_header: 'the stream ended inside a header, which was dropped',
  header_too_long: 'the header is longer than any header; what it holds is read as text',
  stray_text: 'text between two messages was dropped',
  stray_marker: 'a marker that means nothing here was dropped',
  stray_terminator: 'a stop token between two messages was dropped',
  reserved_token: 'a reserved token was dropped',
  unknown_token: 'an id outside the vocabulary was dropped',
  end_of_text: '<|endoftext|> is read as the end of the message',
  tokens_after_return: 'tokens came after <|return|>; they are translated all the same',
}

/** A repair with its standing sentence. `text` is the model's text that ends up in no message because of it. */
export function repair(code: RepairCode, text?: string): Repair {
  return text === undefined || text === '' ? { code, message: REPAIRS[code] } : { code, message: REPAIRS[code], text }
}
