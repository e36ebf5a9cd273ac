import * as z from 'zod'
import { withoutEval } from '../../../../shared/system/without-eval.js'
import { variant } from './variant.js'

withoutEval()

// The schemas of @ai-sdk/openai for the items that it knows. It ignores other fields, and items of other types.

const text = z.string()
const texts = z.array(text)
const number = z.number()
const optionalText = text.nullish()
const optionalNumber = number.nullish()
const optionalTexts = texts.nullish()
const status = z.enum(['in_progress', 'completed', 'incomplete'])
const json = z.json()

/** An item. Each has an id. */
const item = <Shape extends z.ZodRawShape>(shape: Shape) => z.object({ id: text, ...shape })

const async = z.boolean().nullish()

const functionCallSchema = item({
  call_id: text,
  name: text,
  arguments: text,
  async,
  namespace: optionalText,
  caller: z.discriminatedUnion('type', [variant('direct', {}), variant('program', { caller_id: text })]).nullish(),
})

const customToolCallSchema = item({ call_id: text, name: text, input: text, async })

const webSearchSchema = item({ status: text })

const webSearchActionSchema = z.discriminatedUnion('type', [
  variant('search', {
    query: optionalText,
    queries: optionalTexts,
    sources: z
      .array(z.discriminatedUnion('type', [variant('url', { url: text }), variant('api', { name: text })]))
      .nullish(),
  }),
  variant('open_page', { url: optionalText }),
  variant('find_in_page', { url: optionalText, pattern: optionalText }),
])

const codeInterpreterSchema = item({
  container_id: text,
  code: text.nullable(),
  outputs: z
    .array(z.discriminatedUnion('type', [variant('logs', { logs: text }), variant('image', { url: text })]))
    .nullable(),
})

const fileSearchResultSchema = z.object({
  attributes: z.record(text, z.union([text, number, z.boolean()])),
  file_id: text,
  filename: text,
  score: number,
  text,
})

const mcpErrorSchema = z.union([
  text,
  z.object({ type: text.optional(), code: z.union([number, text]).optional(), message: text.optional() }),
])

const mcpToolSchema = z.object({
  name: text,
  description: text.optional(),
  input_schema: z.any(),
  annotations: z.record(text, z.unknown()).optional(),
})

const keys = optionalTexts
const at = { x: number, y: number }

const computerActionSchema = z.discriminatedUnion('type', [
  variant('click', {
    button: z.enum(['left', 'right', 'wheel', 'back', 'forward']),
    ...at,
    keys,
  }),
  variant('double_click', { ...at, keys }),
  variant('drag', { path: z.array(z.object(at)), keys }),
  variant('keypress', { keys: texts }),
  variant('move', { ...at, keys }),
  variant('screenshot', {}),
  variant('scroll', { ...at, scroll_x: number, scroll_y: number, keys }),
  variant('type', { text }),
  variant('wait', {}),
])

const searched = {
  execution: z.enum(['server', 'client']),
  call_id: text.nullable(),
  status,
}

const hasId = item({})

/** The items with the same schema in `added` and `done`, by type. */
const either = {
  message: item({ phase: z.enum(['commentary', 'final_answer']).nullish() }),
  reasoning: item({ encrypted_content: optionalText }),
  program: item({ call_id: text, code: text, fingerprint: text }),
  program_output: item({ call_id: text, result: text, status: z.enum(['completed', 'incomplete']) }),
  computer_call: item({
    call_id: optionalText,
    status,
    action: computerActionSchema.nullish(),
    actions: z.array(computerActionSchema).nullish(),
    pending_safety_checks: z.array(z.object({ id: text, code: optionalText, message: optionalText })).nullish(),
  }),
  local_shell_call: item({
    call_id: text,
    action: variant('exec', {
      command: texts,
      timeout_ms: number.optional(),
      user: text.optional(),
      working_directory: text.optional(),
      env: z.record(text, text).optional(),
    }),
  }),
  apply_patch_call: item({
    call_id: text,
    status: z.enum(['in_progress', 'completed']),
    operation: z.discriminatedUnion('type', [
      variant('create_file', { path: text, diff: text }),
      variant('update_file', { path: text, diff: text }),
      variant('delete_file', { path: text }),
    ]),
  }),
  shell_call: item({
    call_id: text,
    status,
    action: z.object({ commands: texts, timeout_ms: optionalNumber, max_output_length: optionalNumber }),
  }),
  shell_call_output: item({
    call_id: text,
    status,
    max_output_length: optionalNumber,
    output: z.array(
      z.object({
        stdout: text,
        stderr: text,
        outcome: z.discriminatedUnion('type', [variant('timeout', {}), variant('exit', { exit_code: number })]),
      }),
    ),
  }),
  tool_search_call: item({ ...searched, arguments: z.unknown() }),
  tool_search_output: item({ ...searched, tools: z.array(z.record(text, json)) }),
}

/** The items of `response.output_item.added`, by type. */
export const ADDED_ITEMS: Readonly<Record<string, z.ZodType>> = {
  ...either,
  function_call: functionCallSchema,
  custom_tool_call: customToolCallSchema,
  web_search_call: webSearchSchema,
  file_search_call: hasId,
  image_generation_call: hasId,
  code_interpreter_call: codeInterpreterSchema.extend({ status: text }),
  mcp_call: item({ status: text, approval_request_id: optionalText }),
  mcp_list_tools: hasId,
  mcp_approval_request: hasId,
  compaction: item({ encrypted_content: optionalText }),
}

/** The items of `response.output_item.done`, by type. */
export const DONE_ITEMS: Readonly<Record<string, z.ZodType>> = {
  ...either,
  function_call: functionCallSchema.extend({ status }),
  // The SDK accepts no other status, so a call that was cut off fails the turn.
  custom_tool_call: customToolCallSchema.extend({ status: z.literal('completed') }),
  web_search_call: webSearchSchema.extend({ action: webSearchActionSchema.nullish() }),
  file_search_call: item({ queries: texts, results: z.array(fileSearchResultSchema).nullish() }),
  image_generation_call: item({ result: text }),
  code_interpreter_call: codeInterpreterSchema,
  mcp_call: item({
    status: text,
    arguments: text,
    name: text,
    server_label: text,
    output: optionalText,
    error: mcpErrorSchema.nullish(),
    approval_request_id: optionalText,
  }),
  mcp_list_tools: item({ server_label: text, tools: z.array(mcpToolSchema), error: mcpErrorSchema.optional() }),
  mcp_approval_request: item({ server_label: text, name: text, arguments: text, approval_request_id: text.optional() }),
  compaction: item({ encrypted_content: text }),
}
