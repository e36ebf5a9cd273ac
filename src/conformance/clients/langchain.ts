import { type ClientModel, Seen } from './client.js'

/** LangChain. */
export const langchain: ClientModel = {
  client: 'langchain',
  name: 'LangChain',
  versions: { '@langchain/openai': '1.6.0', '@langchain/core': '1.4.0' },
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
