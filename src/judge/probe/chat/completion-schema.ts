import type * as z from 'zod'
import { CALL_TYPE, CONTENT_FIELDS, FINISH_REASONS, named, usage } from '../../conformance/chat/schema-parts.js'
import { count, list, loose, oneOf, orNull, text, textOrNull } from '../../conformance/schemas/schema-builders.js'

const call = loose('chat.call', {
  id: text,
  type: CALL_TYPE,
  function: loose('chat.function', { name: text, arguments: text }).optional(),
  custom: loose('chat.custom', { name: text, input: text }).optional(),
})

const message = loose('chat.message', {
  role: oneOf('assistant'),
  content: textOrNull,
  ...CONTENT_FIELDS,
  tool_calls: orNull('an array', list(call)).optional(),
})

const choice = loose('chat.choice', {
  index: count,
  message,
  finish_reason: oneOf(...FINISH_REASONS),
})

/** A chat completion that was not streamed, with the fields of the `openai` 7.59 types. */
export const chatCompletionSchema: z.ZodType = loose('chat.completion', {
  ...named('chat.completion'),
  choices: list(choice),
  usage,
})
