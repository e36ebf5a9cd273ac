import * as z from 'zod'
import { count, loose, oneOf, text, textOrNull } from '../schemas/schema-builders.js'

// What a chunk and a completion that was not streamed have in common: the fields of the `openai` 7.57 types. Further
// fields are accepted everywhere: servers add their own, and every client skips what it does not know.

export const FINISH_REASONS = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call'] as const

export const CALL_TYPE: z.ZodLiteral<'function' | 'custom'> = oneOf('function', 'custom')

/** The fields that name a chunk or a completion: its `object` says which it is. */
export const named = (type: string): z.ZodRawShape => ({
  id: text,
  object: oneOf(type),
  created: z.int('unix seconds'),
  model: text,
})

/** What a message or a delta says, besides its content. `reasoning` is not OpenAI's: servers with reasoning models send it. */
export const SAID: z.ZodRawShape = {
  refusal: textOrNull.optional(),
  reasoning_content: textOrNull.optional(),
  reasoning: textOrNull.optional(),
}

export const usage: z.ZodType = loose('chat.usage', {
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
})
