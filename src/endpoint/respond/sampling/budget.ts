import type { RequestTools } from '../../../core/recipients/request-tools.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'
import type { EngineCapabilities } from '../../../engines/contract/constraint.js'
import type { OpenEntry } from '../../journal/entry.js'
import { demandedAnswer } from '../demand/demanded-answer.js'
import { type ForcedCall, forcedCall } from '../demand/forced-call.js'
import { Strictness } from '../strict/strictness.js'
import { type AnswerStops, answerStops } from './answer-stops.js'

/** The limits of a response, and what its request allows and demands. */
export interface Budget {
  readonly turns: number
  /** `max_output_tokens` of the request. */
  readonly tokens: number
  /** Whether the time limit of the response is reached. */
  readonly isTimeUp: boolean
  /** Whether a turn may have several calls: `parallel_tool_calls` of the request. */
  readonly hasParallelCalls: boolean
  /** What the engine in use reports of itself; empty if it was not asked. */
  readonly capabilities: Omit<EngineCapabilities, 'fit'>
  /** The strings that end an answer: `stop` of the request. */
  readonly stops: AnswerStops | undefined
  /** The call that the first turn has to make. */
  readonly forced: ForcedCall | undefined
  /** The header of the answer that the response has to contain. */
  readonly answer: readonly number[] | undefined
  /** The constraints of bodies. */
  readonly strict: Strictness
}

export interface BudgetOptions {
  readonly tokenTable: TokenTable
  readonly turns: number
}

/** Returns the full budget of a response, derived from its first entry. */
export function budgetOf(open: OpenEntry, tools: RequestTools, { tokenTable, turns }: BudgetOptions): Budget {
  const { max_output_tokens: tokens, parallel_tool_calls: isParallel } = open.request
  return {
    turns,
    tokens: tokens ?? Number.POSITIVE_INFINITY,
    isTimeUp: false,
    hasParallelCalls: isParallel ?? true,
    capabilities: open.capabilities ?? {},
    stops: answerStops(open, tools, tokenTable),
    forced: forcedCall(open, tools, tokenTable),
    answer: demandedAnswer(open.request, tokenTable),
    strict: new Strictness(open, tools, tokenTable),
  }
}
