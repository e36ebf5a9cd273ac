import type { z } from 'zod'
import type {
  InputCustomToolCall,
  InputCustomToolCallOutput,
  InputFunctionCall,
  InputFunctionCallOutput,
} from '../../../../core/responses/input-items.js'
import { flag, key, optional, text, typed } from '../builders.js'
import { content } from '../content.js'
import { caller, id, status } from './common.js'

// The name in a call is the model's: no tool may have it, but clients have to be able to send it back.

export const functionCall: z.ZodType<InputFunctionCall> = typed('function_call', {
  id,
  call_id: key,
  name: text,
  namespace: optional(text),
  arguments: text,
  async: optional(flag),
  caller,
  status,
})

export const functionCallOutput: z.ZodType<InputFunctionCallOutput> = typed('function_call_output', {
  id,
  call_id: optional(key),
  output: content,
  name: optional(text),
  namespace: optional(text),
  caller,
  status,
})

export const customToolCall: z.ZodType<InputCustomToolCall> = typed('custom_tool_call', {
  id,
  call_id: key,
  name: text,
  namespace: optional(text),
  input: text,
  async: optional(flag),
  caller,
  status,
})

export const customToolCallOutput: z.ZodType<InputCustomToolCallOutput> = typed('custom_tool_call_output', {
  id,
  call_id: key,
  output: content,
  caller,
  status,
})
