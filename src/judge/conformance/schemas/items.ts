import * as z from 'zod'
import { withoutEval } from '../../../shared/system/without-eval.js'
import { computerAction, environment, mcpError, operation, shellOutput, webSearchAction } from './item-parts.js'
import type { WireOutputItem, WireTool } from './item-types.js'
import { inputPart, messagePart, reasoningText, summaryText } from './parts.js'
import {
  anything,
  byType,
  count,
  countOrNull,
  exactly,
  flag,
  list,
  number,
  oneOf,
  orNull,
  strict,
  text,
  textOrNull,
  typed,
} from './schema-builders.js'

withoutEval()

// Fields are optional if the types say so, unless a client breaks without them; comments mark those.

const status = oneOf('in_progress', 'completed', 'incomplete')
const searchStatus = oneOf('in_progress', 'searching', 'completed', 'failed', 'incomplete')
const execution = oneOf('server', 'client')

/** A declared tool, of any type and with any fields, as they change with every release. */
export const tool: z.ZodType<WireTool, WireTool> = z.looseObject({ type: text }, '{type}')

const caller = orNull(
  'an object',
  byType('direct or program', [typed('direct', {}), typed('program', { caller_id: text })]),
).exactOptional()
const called = { call_id: text, caller }
const made = { created_by: text.exactOptional() }
const output = z.union([text, list(inputPart)], 'a string or an array of parts')
const safetyCheck = strict('safety check', {
  id: text,
  code: textOrNull.exactOptional(),
  message: textOrNull.exactOptional(),
})

const fileSearchResult = strict('file search result', {
  attributes: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()], 'a string, a number or a boolean'), 'an object')
    .nullable()
    .exactOptional(),
  file_id: text.exactOptional(),
  filename: text.exactOptional(),
  score: number.exactOptional(),
  text: text.exactOptional(),
})

const imageError = strict('image generation error', {
  type: text,
  code: textOrNull,
  message: text,
  param: textOrNull,
  moderation_details: strict('moderation details', {
    categories: list(text),
    moderation_stage: oneOf('input', 'output', 'unknown'),
  }).exactOptional(),
})
const svgUsage = strict('svg usage', {
  model: text,
  input_tokens: count,
  output_tokens: count,
  reasoning_tokens: count,
  total_tokens: count,
})

const codeOutput = byType('logs or image', [typed('logs', { logs: text }), typed('image', { url: text })])

const listedTool = strict('listed tool', {
  name: text,
  input_schema: anything,
  description: textOrNull.exactOptional(),
  annotations: z.unknown().exactOptional(),
})

const item = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  typed(type, { id: text, ...shape })

const phase = oneOf('commentary', 'final_answer', null).exactOptional()

/** The Zod schema of an output item, by its `type`. Items of unknown types and unknown fields are errors. */
export const outputItemSchema: z.ZodType<WireOutputItem, WireOutputItem> = exactly<WireOutputItem>()(
  byType('the type of an output item', [
    item('message', { status, role: oneOf('assistant'), content: list(messagePart), phase }),
    item('reasoning', {
      summary: list(summaryText),
      content: list(reasoningText).exactOptional(),
      encrypted_content: textOrNull.exactOptional(),
      status: status.exactOptional(),
    }),
    // id and status: all 13 captured calls have them; AI SDK, Cursor and OpenCode lose calls without (llama.cpp#20607).
    item('function_call', {
      ...called,
      status,
      name: text,
      arguments: text,
      namespace: text.exactOptional(),
      async: flag.exactOptional(),
    }),
    item('function_call_output', {
      ...made,
      status,
      output,
      call_id: text.exactOptional(),
      caller,
      name: text.exactOptional(),
      namespace: text.exactOptional(),
    }),
    // id: the AI SDK needs it in every item, and every capture has it.
    item('custom_tool_call', {
      ...called,
      name: text,
      input: text,
      namespace: text.exactOptional(),
      async: flag.exactOptional(),
    }),
    item('custom_tool_call_output', { ...called, ...made, status, output }),
    item('file_search_call', {
      status: searchStatus,
      queries: list(text),
      results: orNull('an array', list(fileSearchResult)).exactOptional(),
    }),
    // action: missing when the call is added (OpenAI web-search-tool, Azure web-search-preview-tool).
    item('web_search_call', { status: searchStatus, action: webSearchAction.exactOptional() }),
    item('computer_call', {
      status,
      call_id: text,
      pending_safety_checks: list(safetyCheck),
      action: computerAction.exactOptional(),
      actions: list(computerAction).exactOptional(),
    }),
    item('computer_call_output', {
      ...made,
      status: oneOf('in_progress', 'completed', 'incomplete', 'failed'),
      call_id: text,
      output: typed('computer_screenshot', { file_id: text.exactOptional(), image_url: text.exactOptional() }),
      acknowledged_safety_checks: list(safetyCheck).exactOptional(),
    }),
    item('program', { call_id: text, code: text, fingerprint: text }),
    item('program_output', { call_id: text, result: text, status: oneOf('completed', 'incomplete') }),
    item('tool_search_call', { ...made, status, arguments: anything, call_id: textOrNull, execution }),
    item('tool_search_output', { ...made, status, tools: list(tool), call_id: textOrNull, execution }),
    item('additional_tools', {
      role: oneOf('unknown', 'user', 'assistant', 'system', 'critic', 'discriminator', 'developer', 'tool'),
      tools: list(tool),
    }),
    item('compaction', { ...made, encrypted_content: text }),
    item('image_generation_call', {
      status: oneOf('in_progress', 'completed', 'generating', 'failed'),
      // Missing when the call is added, as are the fields below (OpenAI image-generation-tool).
      result: textOrNull.exactOptional(),
      action: oneOf('generate', 'edit', 'auto', null).exactOptional(),
      background: oneOf('transparent', 'opaque', 'auto', null).exactOptional(),
      error: imageError.exactOptional(),
      output_format: oneOf('png', 'webp', 'jpeg', 'gif', 'svg', null).exactOptional(),
      quality: oneOf('low', 'medium', 'high', 'xhigh', 'max', 'auto', null).exactOptional(),
      revised_prompt: textOrNull.exactOptional(),
      size: textOrNull.exactOptional(),
      svg_usage: svgUsage.exactOptional(),
    }),
    item('code_interpreter_call', {
      status: oneOf('in_progress', 'interpreting', 'completed', 'incomplete', 'failed'),
      code: textOrNull,
      container_id: text,
      outputs: orNull('an array', list(codeOutput)),
    }),
    item('local_shell_call', {
      status,
      call_id: text,
      action: typed('exec', {
        command: list(text),
        env: z.record(z.string(), text, 'an object of strings'),
        timeout_ms: countOrNull.exactOptional(),
        user: textOrNull.exactOptional(),
        working_directory: textOrNull.exactOptional(),
      }),
    }),
    item('local_shell_call_output', {
      output: text,
      status: oneOf('in_progress', 'completed', 'incomplete', null).exactOptional(),
    }),
    item('shell_call', {
      ...called,
      ...made,
      status,
      action: strict('shell action', {
        commands: list(text),
        max_output_length: countOrNull,
        timeout_ms: countOrNull,
      }),
      // Missing in captures of gpt-5.1 (OpenAI shell-tool), present from gpt-5.2 on (shell-skills).
      environment: orNull('an object', environment).exactOptional(),
    }),
    item('shell_call_output', {
      ...called,
      ...made,
      status,
      output: list(shellOutput),
      max_output_length: countOrNull,
    }),
    item('apply_patch_call', { ...called, ...made, status: oneOf('in_progress', 'completed'), operation }),
    item('apply_patch_call_output', {
      ...called,
      ...made,
      status: oneOf('completed', 'failed'),
      output: textOrNull.exactOptional(),
    }),
    // status: missing in 2025; the AI SDK needs it, and its client model reports that.
    item('mcp_call', {
      status: oneOf('in_progress', 'calling', 'completed', 'incomplete', 'failed').exactOptional(),
      server_label: text,
      name: text,
      arguments: text,
      approval_request_id: textOrNull.exactOptional(),
      error: orNull('an object', mcpError).exactOptional(),
      output: textOrNull.exactOptional(),
    }),
    item('mcp_list_tools', {
      server_label: text,
      tools: list(listedTool),
      // The types have a string; the AI SDK also accepts the error of an mcp_call.
      error: z.union([text, mcpError, z.null()], 'a string, an object or null').exactOptional(),
    }),
    item('mcp_approval_request', { server_label: text, name: text, arguments: text }),
    item('mcp_approval_response', { approval_request_id: text, approve: flag, reason: textOrNull.exactOptional() }),
  ]),
)
