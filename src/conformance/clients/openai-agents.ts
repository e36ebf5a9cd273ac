import { type ClientModel, Seen } from './client.js'

/** The Agents SDK. */
export const openaiAgents: ClientModel = {
  client: 'openai-agents',
  name: 'The Agents SDK',
  versions: { '@openai/agents': '0.20.0' },
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
