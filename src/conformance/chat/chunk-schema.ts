import * as z from 'zod'
import { count, integer, list, loose, number, oneOf, orNull, text, textOrNull } from '../schemas/schema-builders.js'

// The fields of the `openai` 7.57 types. Further fields are accepted everywhere: servers add their own, such as
// `reasoning_content`, and every client skips what it does not know.

const logprob = loose('chat.logprob', {
  token: text,
  logprob: number,
  bytes: orNull('an array', list(integer)),
  top_logprobs: list(
    loose('chat.top_logprob', { token: text, logprob: number, bytes: orNull('an array', list(integer)) }),
  ),
})

const logprobs = loose('chat.logprobs', {
  content: orNull('an array', list(logprob)),
  refusal: orNull('an array', list(logprob)),
})

const said = { name: text.optional() }

const call = loose('chat.tool_call', {
  index: count,
  id: text.optional(),
  type: oneOf('function', 'custom').optional(),
  function: loose('chat.function', { ...said, arguments: text.optional() }).optional(),
  custom: loose('chat.custom', { ...said, input: text.optional() }).optional(),
})

const delta = loose('chat.delta', {
  role: oneOf('developer', 'system', 'user', 'assistant', 'tool').optional(),
  content: textOrNull.optional(),
  refusal: textOrNull.optional(),
  reasoning_content: textOrNull.optional(),
  reasoning: textOrNull.optional(),
  tool_calls: list(call).optional(),
  function_call: loose('chat.function', { ...said, arguments: text.optional() }).optional(),
})

const choice = loose('chat.choice', {
  index: count,
  delta,
  logprobs: orNull('an object', logprobs).optional(),
  finish_reason: oneOf('stop', 'length', 'tool_calls', 'content_filter', 'function_call', null),
})

const usage = loose('chat.usage', { prompt_tokens: count, completion_tokens: count, total_tokens: count })

/** A chunk of Chat Completions. */
export const chatChunkSchema: z.ZodType = loose('chat.chunk', {
  id: text,
  object: oneOf('chat.completion.chunk'),
  created: z.int('unix seconds'),
  model: text,
  choices: list(choice),
  usage: orNull('an object', usage).optional(),
  system_fingerprint: textOrNull.optional(),
  service_tier: textOrNull.optional(),
})
