import type { ResponseUsage } from '../responses/response.js'
import type { HostUsage } from '../tokens/token-source.js'

/** Token counts of one response, over all its turns. Plain data. */
export interface UsageCount {
  input: number
  cached: number
  /** What the model sampled, markers and headers included. */
  output: number
  /** The part of it that is reasoning: whole messages without a recipient on the analysis channel. */
  reasoning: number
  /** Sampled since the last message ended: it belongs to reasoning if the message it belongs to does. */
  sinceMessage: number
  /** Whether text came in, whose tokens nobody counted here. */
  isUncounted: boolean
  /** The output counts as the host gave them; they win. */
  host: { output?: number; reasoning?: number }
}

export function createUsage(): UsageCount {
  return { input: 0, cached: 0, output: 0, reasoning: 0, sinceMessage: 0, isUncounted: false, host: {} }
}

/** Adds the counts of one model call. */
export function addHostUsage(usage: UsageCount, host: HostUsage): void {
  usage.input += host.inputTokens ?? 0
  usage.cached += host.cachedTokens ?? 0
  if (host.outputTokens !== undefined) usage.host.output = (usage.host.output ?? 0) + host.outputTokens
  if (host.reasoningTokens !== undefined) usage.host.reasoning = (usage.host.reasoning ?? 0) + host.reasoningTokens
}

/** A token that the model sampled. */
export function countToken(usage: UsageCount): void {
  usage.output++
  usage.sinceMessage++
}

/** A `<|start|>` of the model's: it belongs to the message that it begins, and nothing before it does. */
export function startMessage(usage: UsageCount): void {
  usage.sinceMessage = 1
}

/**
 * A message of the model has ended.
 *
 * @param ahead - how many of the tokens counted so far belong to the next message: 1 where a marker of it ended this one
 */
export function countMessage(usage: UsageCount, isReasoning: boolean, ahead: 0 | 1): void {
  if (isReasoning) usage.reasoning += usage.sinceMessage - ahead
  usage.sinceMessage = ahead
}

/** A message that was not the model's after all: its tokens are no output. */
export function uncountMessage(usage: UsageCount, ahead: 0 | 1): void {
  usage.output -= usage.sinceMessage - ahead
  usage.sinceMessage = ahead
}

/** The counts as the response shows them, or null where nobody counted the output. */
export function usageOf(usage: UsageCount): ResponseUsage | null {
  if (usage.isUncounted && usage.host.output === undefined) return null
  const output = usage.host.output ?? usage.output
  const reasoning = usage.host.reasoning ?? (usage.isUncounted ? 0 : usage.reasoning)
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cached, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: Math.min(reasoning, output) },
    total_tokens: usage.input + output,
  }
}
