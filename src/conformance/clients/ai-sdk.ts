import { type ClientModel, Seen } from './client.js'

/** The AI SDK. */
export const aiSdk: ClientModel = {
  client: 'ai-sdk',
  name: 'The AI SDK',
  versions: { ai: '7.0.173', '@ai-sdk/openai': '4.0.118' },
  reads: {
    streamed: true,
    final: true,
    refusals: false,
    rawReasoning: false,
    summaries: true,
    functionCalls: true,
    customCalls: true,
    citations: true,
    incomplete: 'incomplete',
    failed: 'failed',
  },
  rules: [],
  begin() {
    return { seen: new Seen(), read() {}, end() {} }
  },
}
