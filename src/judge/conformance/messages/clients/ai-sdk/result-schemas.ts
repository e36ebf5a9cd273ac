import * as z from 'zod'
import { withoutEval } from '../../../../../shared/system/without-eval.js'
import { variant } from '../../../clients/ai-sdk/variant.js'

withoutEval()

// The schemas of @ai-sdk/anthropic for the calls and the results of tools that Anthropic runs.

const code = z.string()
const lines = z.number().nullable()

/** The caller of a tool. */
export const caller: z.ZodType = z
  .union([
    variant('code_execution_20250825', { tool_id: z.string() }),
    variant('code_execution_20260120', { tool_id: z.string() }),
    variant('direct', {}),
  ])
  .optional()

const searched = variant('web_search_result', {
  url: z.string(),
  title: z.string().nullable(),
  encrypted_content: z.string(),
  page_age: z.string().nullish(),
})

const document = variant('document', {
  title: z.string().nullable(),
  citations: z.object({ enabled: z.boolean() }).optional(),
  source: z.union([
    variant('base64', { media_type: z.literal('application/pdf'), data: z.string() }),
    variant('text', { media_type: z.literal('text/plain'), data: z.string() }),
  ]),
})

const files = (type: string): z.ZodType => z.array(variant(type, { file_id: z.string() }))

const ran = { stderr: z.string(), return_code: z.number() }

const codeFiles = { content: files('code_execution_output').optional() }

/** What each tool gives, by the type of its block. */
const CONTENTS = {
  web_search_tool_result: z.union([z.array(searched), variant('web_search_tool_result_error', { error_code: code })]),
  web_fetch_tool_result: z.union([
    variant('web_fetch_result', { url: z.string(), retrieved_at: z.string().nullable(), content: document }),
    variant('web_fetch_tool_result_error', { error_code: code }),
  ]),
  code_execution_tool_result: z.union([
    variant('code_execution_result', { stdout: z.string(), ...ran, ...codeFiles }),
    variant('encrypted_code_execution_result', { encrypted_stdout: z.string(), ...ran, ...codeFiles }),
    variant('code_execution_tool_result_error', { error_code: code }),
  ]),
  bash_code_execution_tool_result: z.discriminatedUnion('type', [
    variant('bash_code_execution_result', {
      content: files('bash_code_execution_output'),
      stdout: z.string(),
      ...ran,
    }),
    variant('bash_code_execution_tool_result_error', { error_code: code }),
  ]),
  text_editor_code_execution_tool_result: z.discriminatedUnion('type', [
    variant('text_editor_code_execution_tool_result_error', { error_code: code }),
    variant('text_editor_code_execution_view_result', {
      content: z.string(),
      file_type: z.string(),
      num_lines: lines,
      start_line: lines,
      total_lines: lines,
    }),
    variant('text_editor_code_execution_create_result', { is_file_update: z.boolean() }),
    variant('text_editor_code_execution_str_replace_result', {
      lines: z.array(z.string()).nullable(),
      new_lines: lines,
      new_start: lines,
      old_lines: lines,
      old_start: lines,
    }),
  ]),
  tool_search_tool_result: z.union([
    variant('tool_search_tool_search_result', {
      tool_references: z.array(variant('tool_reference', { tool_name: z.string() })),
    }),
    variant('tool_search_tool_result_error', { error_code: code }),
  ]),
  advisor_tool_result: z.discriminatedUnion('type', [
    variant('advisor_result', { text: z.string(), stop_reason: z.string().nullish() }),
    variant('advisor_redacted_result', { encrypted_content: z.string(), stop_reason: z.string().nullish() }),
    variant('advisor_tool_result_error', { error_code: code }),
  ]),
} as const

/** The blocks of results. Only those of the web tools have a caller. */
export const RESULTS: readonly z.ZodObject[] = Object.entries(CONTENTS).map(([type, content]) =>
  variant(type, { tool_use_id: z.string(), content, ...(type.startsWith('web_') && { caller }) }),
)
