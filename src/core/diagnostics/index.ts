/**
 * What the translator repaired or noticed, in sentences. docs/malformed-harmony.md lists them.
 *
 * @packageDocumentation
 */

import { check } from '../../shared/errors.js'
import type { RepairCode } from '../harmony/events.js'
import type { Diagnostic, NoticeCode } from './diagnostic.js'

/** A short explanation of each code, for people. Kept out of the core, because programs branch on the code. */
export const DIAGNOSTICS: Readonly<Record<RepairCode | NoticeCode, string>> = {
  // Repairs by the parser: what was malformed, and how it was read.
  repeated_start: '<|start|> inside a header: the header starts over',
  repeated_role: 'the header repeats the role',
  unknown_role: 'unknown role: treated as the assistant',
  named_role: 'the role contains a name: used as the author',
  role_is_channel: 'a channel in place of the role',
  role_is_tool: 'a tool in place of the role: used as the recipient',
  missing_start: 'no <|start|>: treated as the assistant',
  missing_channel: 'no channel after <|channel|>',
  missing_message: 'no <|message|>: the text after the header becomes the message',
  missing_end: 'no stop token: the next message ended this one',
  missing_recipient: 'a tool message without a recipient: treated as addressed to the assistant',
  misplaced_recipient: 'the recipient follows the content type',
  unknown_channel: 'a channel that Harmony does not have',
  misspelled_channel: 'a misspelled channel: read as the closest match',
  repeated_channel: 'several channels: the last known one is used',
  repeated_recipient: 'several recipients: the first one is used',
  constrained_recipient: 'a declared tool after <|constrain|>: used as the recipient',
  bare_recipient: 'a recipient without "to="',
  content_type_without_recipient: 'a content type without a recipient',
  extra_header_text: 'extra words in a header',
  unusual_header_spacing: 'unexpected white space in a header',
  marker_spelled_in_header: 'a marker spelled as ordinary text in a header',
  dropped_header: 'a header without a message: dropped',
  truncated_header: 'the stream ended inside a header: dropped',
  header_too_long: 'the header is too long: treated as text',
  stray_text: 'text between messages: dropped',
  stray_marker: 'a misplaced marker: dropped',
  stray_terminator: 'a stop token between messages: dropped',
  reserved_token: 'a reserved token: dropped',
  unknown_token: 'an id outside the vocabulary: dropped',
  end_of_text: '<|endoftext|> ends the message',
  tokens_after_return: 'tokens after <|return|>: translated anyway',
  refused_token: 'the official parser rejected a token',
  assumed_reasoning: 'text without a channel with which the turn did not end: treated as reasoning',
  undecided_text: 'text without a channel, too long to wait for the end of the turn: shown as reasoning',
  repeated_answer: 'text that was shown as reasoning is the answer: shown once more',

  // Notices of the translator: about the request, or about well-formed messages.
  unknown_tool_type: 'a tool type that the API does not have: never called',
  undeclared_server: 'a listing or an approved call for an MCP server that the request does not declare',
  undeclared_recipient: 'a call to a tool that the request does not declare',
  misspelled_recipient: 'another spelling of the name of a tool: read as that tool',
  unavailable_tool: 'a call to a tool that is not allowed, not listed or not the only one of its name: failed',
  blank_arguments: 'a function call without arguments: {} is used',
  text_after_arguments: 'text after the arguments of a call: dropped',
  unreadable_arguments: 'unusable arguments: the item omits what they should contain',
  call_cut_off: 'a call cut off before its item was added: dropped',
  fabricated_message: 'the model wrote a message under another role: dropped',
  invented_result:
    'the model invented the result of a call that the client answers: dropped, and all that the turn has after it',
  result_without_call: 'a tool result without a pending call: dropped',
  sampled_result: 'the result of a pending call arrived as sampled tokens: dropped; push it as { host }',
  second_result: 'a second result for the same call: ignored',
  missing_result: 'a hosted call never got its result: incomplete',
  nothing_sampled: 'the model sampled nothing: the source may be empty or already consumed',
  missing_markers: 'no special tokens: configure the engine to keep them (skip_special_tokens: false)',
  spelled_ids: 'text that looks like a token id: push ids as numbers',
  repeated_count: 'a second count of the same tokens: the last one is used',

  // Notices of `respond`: about the request, or about a conversation that is too long.
  compaction_failed: 'the conversation could not be compacted: the response continues with all of it',
  compaction_too_long: 'longer than compact_threshold even when compacted: not compacted again in this response',
  ignored_parameter: 'a parameter of the request that has no effect on this response',
  unhosted_tool: 'declared tools that nothing runs: the model is not taught them',
  unknown_mcp_server:
    'a server_label that no tool of the host has: the client is told that the server is not available',
  unapprovable_tool: 'offered tools that need an approval, which this API cannot ask for: the model is not taught them',
  unread_attachment: 'images and files that the model cannot see: it reads a placeholder',
  relaxed_schema:
    'a part of a schema that the engine cannot enforce: it is left out of the constraint, and checked at the end',
  estimated_usage: 'the server of the engine counted no tokens: usage is an estimate',
  engine_restarted: 'the engine failed in the middle of the response: it is asked again where it stopped',

  // Notices of the endpoint about a request. Their index is -1.
  unopened_seal: 'sealed content that no key here opens: the model continues without it',
  unknown_input: 'parts of the request that this library does not know: left out',
}

/**
 * Formats a diagnostic in one line: its code, explanation and subject, and the text that was dropped.
 *
 * @example
 * ```ts
 * import { translate } from 'harmony-responses'
 * import { explainDiagnostic } from 'harmony-responses/diagnostics'
 *
 * const events = translate(tokens, { request, onDiagnostic: (diagnostic) => console.warn(explainDiagnostic(diagnostic)) })
 * for await (const event of events) send([event])
 * ```
 */
export function explainDiagnostic(diagnostic: Diagnostic): string {
  const { code, text, subject } = Object(diagnostic) as Diagnostic
  check(Object.hasOwn(DIAGNOSTICS, code), 'explainDiagnostic', 'a diagnostic', diagnostic)
  const about = !subject ? '' : `; ${subject}`
  const dropped = text === undefined ? '' : `; not in any item: ${JSON.stringify(text)}`
  return `${code}: ${DIAGNOSTICS[code]}${about}${dropped}`
}
