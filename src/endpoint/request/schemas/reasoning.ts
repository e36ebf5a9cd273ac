import type { z } from 'zod'
import type { ReasoningOptions } from '../../../core/responses/request-parameters.js'
import { object, oneOf, optional, text } from './builders.js'

export const effort: z.ZodType<NonNullable<ReasoningOptions['effort']>> = oneOf(
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
)

const summary = optional(oneOf('auto', 'concise', 'detailed'))

export const reasoningOptions: z.ZodType<ReasoningOptions> = object({
  effort: optional(effort),
  summary,
  generate_summary: summary,
  context: optional(oneOf('auto', 'current_turn', 'all_turns')),
  mode: optional(text),
})
