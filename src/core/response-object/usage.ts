import type { ResponseUsage } from '../responses/response.js'
import type { HostUsage } from '../tokens/token-source.js'

/** Token counts of one model call. */
interface TurnCount {
  /** Null until the host reports it. */
  input: number | null
  cached: number
  /** Tokens sampled before this call. */
  before: number
  /** Whether it produced text, whose tokens cannot be counted here. */
  isUncounted: boolean
  /** Output tokens as reported by the host; takes precedence. */
  reported: number | null
}

/** Token counts of one response, over all its turns. Plain data. */
export interface UsageCount {
  /** Every model call; the last one is the current one. */
  turns: TurnCount[]
  /** Whether the host has pushed tokens since the model did: the model's next token then belongs to another call. */
  isNextTurn: boolean
  /** Tokens that the model sampled, including markers and headers. */
  output: number
  /** The share of them that is reasoning: complete messages without a recipient on the analysis channel. */
  reasoning: number
  /** Tokens sampled since the last message ended. They count as reasoning if their message does. */
  sinceMessage: number
  /** Reasoning tokens as reported by the host; takes precedence. */
  reportedReasoning: number | null
}

export function createUsage(): UsageCount {
  return {
    turns: [createTurn(0)],
    isNextTurn: false,
    output: 0,
    reasoning: 0,
    sinceMessage: 0,
    reportedReasoning: null,
  }
}

function createTurn(before: number): TurnCount {
  return { input: null, cached: 0, before, isUncounted: false, reported: null }
}

function currentTurn(usage: UsageCount): TurnCount {
  return usage.turns.at(-1) as TurnCount
}

/**
 * Adds counts to the current model call. A second prompt count replaces the first, because hosts report it when the
 * call begins and engines again when it ends.
 *
 * @returns whether a second prompt count differs from the first
 */
export function addHostUsage(usage: UsageCount, host: HostUsage): boolean {
  if (usage.isNextTurn && host.inputTokens !== undefined) startTurn(usage)
  const turn = currentTurn(usage)
  const { inputTokens = turn.input } = host
  const isOther = turn.input !== null && turn.input !== inputTokens
  turn.input = inputTokens
  // The cached tokens of the replaced count may exceed the new count.
  turn.cached = host.cachedTokens ?? (isOther ? Math.min(turn.cached, inputTokens ?? 0) : turn.cached)
  if (host.outputTokens !== undefined) turn.reported = (turn.reported ?? 0) + host.outputTokens
  if (host.reasoningTokens !== undefined)
    usage.reportedReasoning = (usage.reportedReasoning ?? 0) + host.reasoningTokens
  return isOther
}

/** Starts another model call, unless the current one has no output yet: then it continues. */
export function startTurn(usage: UsageCount): void {
  const turn = currentTurn(usage)
  if (usage.output > turn.before || turn.isUncounted || turn.reported !== null)
    usage.turns.push(createTurn(usage.output))
  usage.isNextTurn = false
}

/** Whether the model has produced any output. */
export function isSampled({ output, turns }: UsageCount): boolean {
  return output > 0 || turns.some(({ isUncounted }) => isUncounted)
}

/** Records that the model produced text. */
export function countText(usage: UsageCount): void {
  if (usage.isNextTurn) startTurn(usage)
  currentTurn(usage).isUncounted = true
}

/** Counts a token that the model sampled. */
export function countToken(usage: UsageCount): void {
  if (usage.isNextTurn) startTurn(usage)
  usage.output++
  usage.sinceMessage++
}

/** Assigns a sampled `<|start|>` to the message that it begins, and nothing before it. */
export function startMessage(usage: UsageCount): void {
  usage.sinceMessage = 1
}

/**
 * Ends a message.
 *
 * @param ahead - how many of the counted tokens followed it: 1 if the first marker of the next message ended this one
 * @returns how many tokens belong to this message
 */
export function countMessage(usage: UsageCount, ahead: number): number {
  const count = usage.sinceMessage - ahead
  usage.sinceMessage = ahead
  return count
}

/**
 * Returns the counts in the response's form, or null if the output was not counted.
 *
 * @param isByTurn - whether to include the counts of each model call, in vLLM's fields
 */
export function responseUsage(usage: UsageCount, isByTurn: boolean): ResponseUsage | null {
  const { turns } = usage
  if (turns.some((turn) => turn.isUncounted && turn.reported === null)) return null
  const input = turns.map((turn) => turn.input ?? 0)
  const cached = turns.map((turn) => turn.cached)
  const outputs = turns.map((turn, index) => turn.reported ?? (turns[index + 1]?.before ?? usage.output) - turn.before)
  const output = sum(outputs)
  const reasoning = usage.reportedReasoning ?? (turns.some((turn) => turn.isUncounted) ? 0 : usage.reasoning)
  // Tool output is the growth of a prompt over the previous prompt and its output.
  const tools = input.map((tokens, turn) => {
    const earlier = input[turn - 1] ?? 0
    return earlier === 0 ? 0 : Math.max(0, tokens - earlier - (outputs[turn - 1] ?? 0))
  })
  const inputByTurn = { input_tokens_per_turn: input, cached_tokens_per_turn: cached }
  const outputByTurn = {
    tool_output_tokens: sum(tools),
    output_tokens_per_turn: outputs,
    tool_output_tokens_per_turn: tools,
  }
  return {
    input_tokens: sum(input),
    input_tokens_details: { cached_tokens: sum(cached), cache_write_tokens: 0, ...(isByTurn && inputByTurn) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: Math.min(reasoning, output), ...(isByTurn && outputByTurn) },
    total_tokens: sum(input) + output,
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
