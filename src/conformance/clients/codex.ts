import { type ClientModel, Seen } from './client.js'

/** Codex. */
export const codex: ClientModel = {
  client: 'codex',
  name: 'Codex',
  versions: { '@openai/codex': '0.169.0' },
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
