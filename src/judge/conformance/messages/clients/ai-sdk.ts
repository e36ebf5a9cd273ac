import { AiSdkReader } from './ai-sdk/reader.js'
import { RULES } from './ai-sdk/rules.js'
import type { MessagesClientModel } from './client.js'

/** The AI SDK: `streamText` of ai with a model of @ai-sdk/anthropic. */
export const aiSdk: MessagesClientModel = {
  client: 'ai-sdk',
  name: 'The AI SDK',
  versions: { ai: '7.0.173', '@ai-sdk/anthropic': '4.0.105' },
  rules: RULES,
  begin: (reportBreak) => new AiSdkReader(reportBreak),
}
