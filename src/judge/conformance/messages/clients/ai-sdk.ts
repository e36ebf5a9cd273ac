import { rulesOf } from '../../clients/client.js'
import { AiSdkReader } from './ai-sdk/reader.js'
import type { MessagesClientModel } from './client.js'

const RULES = rulesOf({
  'messages-ai-sdk-validates': {
    sentence:
      'Each event matches the schema of @ai-sdk/anthropic 4.0: otherwise it emits an error part ("Type validation failed"), and shows nothing of the event; at an invalid first event, it throws.',
    explainsLosses: true,
  },
  'messages-ai-sdk-part': {
    sentence:
      'Text and thinking come between the start and the stop of the block at their index: otherwise ai 7 emits an error part ("text part 0 not found").',
    explainsLosses: true,
    causes: { stream: ['messages-ai-sdk-validates'] },
  },
  'messages-ai-sdk-one-message': {
    sentence:
      'No message_start of another message comes before message_stop: otherwise @ai-sdk/anthropic 4.0 emits an error part, and reads no further.',
    explainsLosses: true,
  },
  'messages-ai-sdk-stop': {
    sentence:
      'A message_stop ends the answer, and no content follows it: otherwise the AI SDK takes the answer for one that was interrupted.',
    explainsLosses: true,
    causes: { stream: ['messages-ai-sdk-validates'] },
  },
  'messages-ai-sdk-call-stop': {
    sentence: 'The block of a call stops, at the index of its start: the AI SDK runs no call before that.',
    explainsLosses: true,
    causes: { stream: ['messages-ai-sdk-validates'] },
  },
  'messages-ai-sdk-mcp-result':
    'An mcp_tool_result follows its mcp_tool_use: otherwise @ai-sdk/anthropic 4.0 throws a TypeError.',
  'messages-ai-sdk-tool-input': {
    sentence: 'The input of a call is valid JSON: otherwise ai 7 emits a tool-error part, and does not run the tool.',
    severity: 'warning',
    fault: 'model',
    causes: { stream: ['messages-ai-sdk-validates'] },
  },
})

/** The AI SDK: `streamText` of ai with a model of @ai-sdk/anthropic. */
export const aiSdk: MessagesClientModel = {
  client: 'ai-sdk',
  name: 'The AI SDK',
  versions: { ai: '7.0.173', '@ai-sdk/anthropic': '4.0.105' },
  rules: RULES,
  begin: (reportBreak) => new AiSdkReader(reportBreak),
}
