import * as z from 'zod'
import { count, list, loose, oneOf, orNull, text, textOrNull } from '../schemas/schema-builders.js'

const call = loose('chat.call', {
  id: text,
  type: oneOf('function', 'custom'),
  function: loose('chat.function', { name: text, arguments: text }).optional(),
  custom: loose('chat.custom', { name: text, input: text }).optional(),
})

const message = loose('chat.message', {
  role: oneOf('assistant'),
  content: textOrNull,
  refusal: textOrNull.optional(),
  reasoning_content: textOrNull.optional(),
  reasoning: textOrNull.optional(),
  tool_calls: orNull('an array', list(call)).optional(),
})

const choice = loose('chat.choice', {
  index: count,
  message,
  finish_reason: oneOf('stop', 'length', 'tool_calls', 'content_filter', 'function_call'),
})

const usage = loose('chat.usage', { prompt_tokens: count, completion_tokens: count, total_tokens: count })

/** A chat completion that was not streamed, with the fields of the `openai` 7.57 types. */
export const chatCompletionSchema: z.ZodType = loose('chat.completion', {
  id: text,
  object: oneOf('chat.completion'),
  created: z.int('unix seconds'),
  model: text,
  choices: list(choice),
  usage,
})
