import { AiSdkReader } from './ai-sdk/reader.js'
import { RULES } from './ai-sdk/rules.js'
import type { ChatClientModel } from './client.js'

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
