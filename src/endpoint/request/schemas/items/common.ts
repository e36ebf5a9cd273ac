import * as z from 'zod'
import type { InputCaller, InputStatus } from '../../../../core/responses/input-status.js'
import { withoutEval } from '../../../../shared/system/without-eval.js'
import { byType, oneOf, optional, text, typed } from '../builders.js'

withoutEval()

/** Optional, since clients omit the ids of items, and servers accept that. */
export const id: z.ZodExactOptional<z.ZodType<string>> = optional(text)

export const status: z.ZodExactOptional<z.ZodType<InputStatus>> = optional(
  oneOf('in_progress', 'searching', 'interpreting', 'calling', 'generating', 'completed', 'incomplete', 'failed'),
)

export const caller: z.ZodExactOptional<z.ZodType<InputCaller>> = optional(
  byType<InputCaller>({ direct: typed('direct', {}), program: typed('program', { caller_id: text }) }),
)

export const execution: z.ZodExactOptional<z.ZodType<'server' | 'client'>> = optional(oneOf('server', 'client'))

/** A list that other servers omit when it is empty. */
export function listOrNone<Value>(list: z.ZodType<Value[]>): z.ZodType<Value[]> {
  return z.preprocess((value) => value ?? [], list)
}
