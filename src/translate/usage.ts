import type { ResponseUsage } from '../responses/response.js'
import type { HostUsage } from '../tokens/token-source.js'

/** Token counts of one model call. */
interface TurnCount {
  /** Null until the host says. */
  input: number | null
  cached: number
  /** What was sampled before it. */
  before: number
  /** Whether it said text, whose tokens nobody counted here. */
  isUncounted: boolean
  /** What it sampled, as the host counted it; that wins. */
  reported: number | null
}

/** Token counts of one response, over all its turns. Plain data. */
export interface UsageCount {
  /** Every model call, the one under way last. */
  turns: TurnCount[]
  /** Whether the host spoke since the model did: what it says next is of another call. */
  isNextTurn: boolean
  /** What the model sampled, markers and headers included. */
  output: number
  /** The part of it that is reasoning: whole messages without a recipient on the analysis channel. */
  reasoning: number
  /** Sampled since the last message ended: it belongs to reasoning if the message it belongs to does. */
  sinceMessage: number
  /** What was reasoning, as the host counted it; that wins. */
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
 * Adds counts of the model call under way. A second count of its prompt takes the place of the first: hosts tell it when
 * the call begins, and engines again when it ends.
 *
 * @returns whether it was another number
 */
export function addHostUsage(usage: UsageCount, host: HostUsage): boolean {
  if (usage.isNextTurn && host.inputTokens !== undefined) startTurn(usage)
  const turn = currentTurn(usage)
  const { inputTokens = turn.input } = host
  const isOther = turn.input !== null && turn.input !== inputTokens
  turn.input = inputTokens
  // What was cached of another count may be more than all of this one.
  turn.cached = host.cachedTokens ?? (isOther ? Math.min(turn.cached, inputTokens ?? 0) : turn.cached)
  if (host.outputTokens !== undefined) turn.reported = (turn.reported ?? 0) + host.outputTokens
  if (host.reasoningTokens !== undefined)
    usage.reportedReasoning = (usage.reportedReasoning ?? 0) + host.reasoningTokens
  return isOther
}

/** The model is called again, unless it has not said anything yet: then it is the same call. */
export function startTurn(usage: UsageCount): void {
  const turn = currentTurn(usage)
  if (usage.output > turn.before || turn.isUncounted || turn.reported !== null)
    usage.turns.push(createTurn(usage.output))
  usage.isNextTurn = false
}

/** Whether the model said anything at all. */
export function isSampled({ output, turns }: UsageCount): boolean {
  return output > 0 || turns.some(({ isUncounted }) => isUncounted)
}

/** The model said text. */
export function countText(usage: UsageCount): void {
  if (usage.isNextTurn) startTurn(usage)
  currentTurn(usage).isUncounted = true
}

/** A token that the model sampled. */
export function countToken(usage: UsageCount): void {
  if (usage.isNextTurn) startTurn(usage)
  usage.output++
  usage.sinceMessage++
}

/** A `<|start|>` of the model's: it belongs to the message that it begins, and nothing before it does. */
export function startMessage(usage: UsageCount): void {
  usage.sinceMessage = 1
}

/**
 * A message has ended.
 *
 * @param ahead - how many of the tokens counted so far belong to the next message: 1 where a marker of it ended this one
 * @returns how many belong to this one
 */
export function countMessage(usage: UsageCount, ahead: 0 | 1): number {
  const count = usage.sinceMessage - ahead
  usage.sinceMessage = ahead
  return count
}

/**
 * The counts as the response shows them, or null where nobody counted the output.
 *
 * @param isByTurn - whether also those of each model call are shown, in the fields in which vLLM does
 */
export function responseUsage(usage: UsageCount, isByTurn: boolean): ResponseUsage | null {
  const { turns } = usage
  if (turns.some((turn) => turn.isUncounted && turn.reported === null)) return null
  const input = turns.map((turn) => turn.input ?? 0)
  const cached = turns.map((turn) => turn.cached)
  const outputs = turns.map((turn, index) => turn.reported ?? (turns[index + 1]?.before ?? usage.output) - turn.before)
  const output = sum(outputs)
  const reasoning = usage.reportedReasoning ?? (turns.some((turn) => turn.isUncounted) ? 0 : usage.reasoning)
  // What a prompt is longer than the one before and what was sampled then is what the tools said.
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
