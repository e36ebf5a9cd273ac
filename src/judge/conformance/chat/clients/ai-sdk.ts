import { rulesOf } from '../../clients/client.js'
import { AiSdkReader } from './ai-sdk/reader.js'
import type { ChatClientModel } from './client.js'

const RULES = rulesOf({
  'chat-ai-sdk-validates': {
    sentence:
      'Each chunk matches the schema of @ai-sdk/openai-compatible 3.0: otherwise it emits an error part ("Type validation ' +
      'failed"), and shows nothing of the chunk.',
    explainsLosses: true,
  },
  'chat-ai-sdk-error-key': {
    sentence:
      'Only the chunk that ends a failed stream has a field `error`; no other has one, not even null: ' +
      '@ai-sdk/openai-compatible 3.0 takes such a chunk for a failure, and shows nothing of it.',
    explainsLosses: true,
  },
  'chat-ai-sdk-call-name': 'A call has a name: otherwise @ai-sdk/openai-compatible 3.0 throws, and the stream ends.',
  'chat-ai-sdk-finish': {
    sentence:
      'A stream has a finish_reason: otherwise @ai-sdk/openai-compatible 3.0 emits an error part ("ended without a finish ' +
      'reason"). It reads the last one that comes in the first choice of a chunk.',
    causes: { stream: ['chat-ai-sdk-validates', 'chat-ai-sdk-error-key', 'chat-client-reads'] },
  },
  'chat-ai-sdk-tool-input': {
    sentence:
      'The arguments of a call are valid JSON: otherwise ai 7 emits a tool-error part, and does not run the tool.',
    severity: 'warning',
    fault: 'model',
  },
})

/**
 * The AI SDK: `streamText` of ai with a model of @ai-sdk/openai-compatible, which is what applications use for servers
 * other than OpenAI's.
 */
export const aiSdk: ChatClientModel = {
  client: 'ai-sdk',
  name: 'The AI SDK',
  versions: { ai: '7.0.173', '@ai-sdk/openai-compatible': '3.0.92' },
  reads: { reasoning: true, choices: 'first', incomplete: 'incomplete' },
  rules: RULES,
  begin: (reportBreak) => new AiSdkReader(reportBreak),
}
