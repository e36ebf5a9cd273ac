import type { Reads } from '../client.js'

/** The parts of a response that the openai SDKs show, whatever their language: all but refusals. */
export const OPENAI_READS: Reads = {
  streamed: true,
  final: true,
  refusals: false,
  rawReasoning: true,
  summaries: true,
  functionCalls: true,
  customCalls: true,
  namespaces: true,
  citations: true,
  incomplete: 'incomplete',
  failed: 'failed',
  cancelled: 'cancelled',
}
