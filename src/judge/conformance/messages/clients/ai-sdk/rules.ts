import type { ClientRule } from '../../../clients/client.js'

export type RuleId =
  | 'messages-ai-sdk-validates'
  | 'messages-ai-sdk-part'
  | 'messages-ai-sdk-one-message'
  | 'messages-ai-sdk-stop'
  | 'messages-ai-sdk-call-stop'
  | 'messages-ai-sdk-mcp-result'
  | 'messages-ai-sdk-tool-input'

/** The rules of the AI SDK. */
export const RULES: readonly (ClientRule & { readonly id: RuleId })[] = [
  {
    id: 'messages-ai-sdk-validates',
    sentence:
      'Each event matches the schema of @ai-sdk/anthropic 4.0: otherwise it emits an error part ("Type validation failed"), and shows nothing of the event; at an invalid first event, it throws.',
    severity: 'error',
  },
  {
    id: 'messages-ai-sdk-part',
    sentence:
      'Text and thinking come between the start and the stop of the block at their index: otherwise ai 7 emits an error part ("text part 0 not found").',
    severity: 'error',
  },
  {
    id: 'messages-ai-sdk-one-message',
    sentence:
      'No message_start of another message comes before message_stop: otherwise @ai-sdk/anthropic 4.0 emits an error part, and reads no further.',
    severity: 'error',
  },
  {
    id: 'messages-ai-sdk-stop',
    sentence:
      'A message_stop ends the answer, and no content follows it: otherwise the AI SDK takes the answer for one that was interrupted.',
    severity: 'error',
  },
  {
    id: 'messages-ai-sdk-call-stop',
    sentence: 'The block of a call stops, at the index of its start: the AI SDK runs no call before that.',
    severity: 'error',
  },
  {
    id: 'messages-ai-sdk-mcp-result',
    sentence: 'An mcp_tool_result follows its mcp_tool_use: otherwise @ai-sdk/anthropic 4.0 throws a TypeError.',
    severity: 'error',
  },
  {
    id: 'messages-ai-sdk-tool-input',
    sentence: 'The input of a call is valid JSON: otherwise ai 7 emits a tool-error part, and does not run the tool.',
    severity: 'warning',
    fault: 'model',
  },
]
