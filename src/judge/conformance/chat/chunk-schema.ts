import type * as z from 'zod'
import { count, integer, list, loose, number, oneOf, orNull, text, textOrNull } from '../schemas/schema-builders.js'
import { CALL_TYPE, CONTENT_FIELDS, FINISH_REASONS, named, usage } from './schema-parts.js'

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

const nameField = { name: text.optional() }

const call = loose('chat.tool_call', {
  index: count,
  id: text.optional(),
  type: CALL_TYPE.optional(),
  function: loose('chat.function', { ...nameField, arguments: text.optional() }).optional(),
  custom: loose('chat.custom', { ...nameField, input: text.optional() }).optional(),
})

const delta = loose('chat.delta', {
  role: oneOf('developer', 'system', 'user', 'assistant', 'tool').optional(),
  content: textOrNull.optional(),
  ...CONTENT_FIELDS,
  tool_calls: list(call).optional(),
  function_call: loose('chat.function', { ...nameField, arguments: text.optional() }).optional(),
})

const choice = loose('chat.choice', {
  index: count,
  delta,
  logprobs: orNull('an object', logprobs).optional(),
  finish_reason: oneOf(...FINISH_REASONS, null),
})

/** A chunk of Chat Completions. */
export const chatChunkSchema: z.ZodType = loose('chat.chunk', {
  ...named('chat.completion.chunk'),
  choices: list(choice),
  usage: orNull('an object', usage).optional(),
  system_fingerprint: textOrNull.optional(),
  service_tier: textOrNull.optional(),
})
