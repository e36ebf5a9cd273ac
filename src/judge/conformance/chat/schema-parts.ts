import * as z from 'zod'
import { withoutEval } from '../../../shared/system/without-eval.js'
import { count, loose, oneOf, text, textOrNull } from '../schemas/schema-builders.js'

withoutEval()

// The common part of a chunk and of a completion that was not streamed: the fields of the `openai` 7.59 types. Further
// fields are accepted everywhere: servers add their own, and every client skips unknown ones.

export const FINISH_REASONS = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call'] as const

export const CALL_TYPE: z.ZodLiteral<'function' | 'custom'> = oneOf('function', 'custom')

/** The identifying fields of a chunk or a completion: its `object` tells which it is. */
export const named = (type: string): z.ZodRawShape => ({
  id: text,
  object: oneOf(type),
  created: z.int('unix seconds'),
  model: text,
})

/** The content of a message or a delta. `reasoning` is not OpenAI's: servers with reasoning models send it. */
export const CONTENT_FIELDS: z.ZodRawShape = {
  refusal: textOrNull.optional(),
  reasoning_content: textOrNull.optional(),
  reasoning: textOrNull.optional(),
}

export const usage: z.ZodType = loose('chat.usage', {
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
})
