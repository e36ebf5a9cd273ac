import type { z } from 'zod'
import type { InputItemReference, InputMessage, InputReasoning } from '../../../../core/responses/input-items.js'
import { key, list, oneOf, optional, text, typed } from '../builders.js'
import { content } from '../content.js'
import { id, listOrNone, status } from './common.js'

export const message: z.ZodType<InputMessage & { type: 'message' }> = typed('message', {
  id,
  role: oneOf('assistant', 'system', 'developer', 'user'),
  content,
  phase: optional(oneOf('commentary', 'final_answer')),
  status,
})

export const reasoning: z.ZodType<InputReasoning> = typed('reasoning', {
  id,
  summary: listOrNone(list('objects', typed('summary_text', { text }))),
  content: optional(list('objects', typed('reasoning_text', { text }))),
  encrypted_content: optional(text),
  status,
})

export const itemReference: z.ZodType<InputItemReference & { type: 'item_reference' }> = typed('item_reference', {
  id: key,
})
