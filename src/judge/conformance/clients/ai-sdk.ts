import { AiSdkReader } from './ai-sdk/reader.js'
import { RULES } from './ai-sdk/rules.js'
import type { ClientModel } from './client.js'

/**
 * The AI SDK: `streamText` of ai with `openai.responses(...)` of @ai-sdk/openai. It does not cover
 * @ai-sdk/open-responses, which reads the same streams by other rules and validates nothing.
 */
export const aiSdk: ClientModel = {
  client: 'ai-sdk',
  name: 'The AI SDK',
  versions: { ai: '7.0.173', '@ai-sdk/openai': '4.0.118' },
  reads: {
    streamed: true,
    final: true,
    // It shows them as text.
    refusals: true,
    rawReasoning: false,
    summaries: true,
    functionCalls: true,
    customCalls: true,
    namespaces: false,
    citations: true,
    hosted: 'ai-sdk-hosted-call',
    incomplete: 'incomplete',
    failed: 'failed',
    // It knows no such status, and takes what came for the whole answer.
    cancelled: 'completed',
  },
  rules: RULES,
  begin: (reportBreak) => new AiSdkReader(reportBreak),
}
