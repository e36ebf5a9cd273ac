import type { OpenEntry } from '../journal/entry.js'
import { answerStops } from './answer-stops.js'
import { demandOf } from './demand.js'
import type { Budget } from './next-step.js'
import type { StrictnessOptions } from './strictness.js'

/** What a response may take and what its request allows, before any of it is used up. */
export function budgetOf(open: OpenEntry, options: StrictnessOptions & { readonly turns: number }): Budget {
  const { max_output_tokens: tokens, parallel_tool_calls: isParallel } = open.request
  return {
    turns: options.turns,
    tokens: tokens ?? Number.POSITIVE_INFINITY,
    hasParallelCalls: isParallel ?? true,
    stops: answerStops(open, options),
    isTimeUp: false,
    ...demandOf(open, options),
  }
}
