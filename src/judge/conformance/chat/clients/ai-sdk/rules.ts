import type { ClientRule } from '../../../clients/client.js'

export type RuleId =
  | 'chat-ai-sdk-validates'
  | 'chat-ai-sdk-error-key'
  | 'chat-ai-sdk-call-name'
  | 'chat-ai-sdk-finish'
  | 'chat-ai-sdk-tool-input'

/** The rules of the AI SDK. */
export const RULES: readonly (ClientRule & { readonly id: RuleId })[] = [
  {
    id: 'chat-ai-sdk-validates',
    sentence:
      'Each chunk matches the schema of @ai-sdk/openai-compatible 3.0: otherwise it emits an error part ("Type validation ' +
      'failed"), and shows nothing of the chunk.',
    severity: 'error',
  },
  {
    id: 'chat-ai-sdk-error-key',
    sentence:
      'Only the chunk that ends a failed stream has a field `error`; no other has one, not even null: ' +
      '@ai-sdk/openai-compatible 3.0 takes such a chunk for a failure, and shows nothing of it.',
    severity: 'error',
  },
  {
    id: 'chat-ai-sdk-call-name',
    sentence: 'A call has a name: otherwise @ai-sdk/openai-compatible 3.0 throws, and the stream ends.',
    severity: 'error',
  },
  {
    id: 'chat-ai-sdk-finish',
    sentence:
      'A stream has a finish_reason: otherwise @ai-sdk/openai-compatible 3.0 emits an error part ("ended without a finish ' +
      'reason"). It reads the last one that comes in the first choice of a chunk.',
    severity: 'error',
  },
  {
    id: 'chat-ai-sdk-tool-input',
    sentence:
      'The arguments of a call are valid JSON: otherwise ai 7 emits a tool-error part, and does not run the tool.',
    severity: 'warning',
    fault: 'model',
  },
]
