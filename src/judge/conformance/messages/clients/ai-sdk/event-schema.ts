import * as z from 'zod'

// The schemas of @ai-sdk/anthropic for the values of a stream, as far as servers other than Anthropic's send them.

const text = z.string().nullish()
const number = z.number().nullish()

/** The caller of a tool. */
const caller = z
  .union([
    z.object({ type: z.enum(['code_execution_20250825', 'code_execution_20260120']), tool_id: z.string() }),
    z.object({ type: z.literal('direct') }),
  ])
  .optional()

const searched = z.union([
  z.array(
    z.object({
      type: z.literal('web_search_result'),
      url: z.string(),
      title: z.string().nullable(),
      encrypted_content: z.string(),
      page_age: text,
    }),
  ),
  z.object({ type: z.literal('web_search_tool_result_error'), error_code: z.string() }),
])

const block = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('thinking'), thinking: z.string() }),
  z.object({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.object({
    type: z.literal('tool_use'),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()).optional(),
    caller,
  }),
  z.object({
    type: z.literal('server_tool_use'),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()).nullish(),
    caller,
  }),
  z.object({
    type: z.literal('mcp_tool_use'),
    id: z.string(),
    name: z.string(),
    input: z.unknown(),
    server_name: z.string(),
  }),
  z.object({
    type: z.literal('mcp_tool_result'),
    tool_use_id: z.string(),
    is_error: z.boolean(),
    content: z.union([
      z.string(),
      z.array(z.union([z.string(), z.object({ type: z.literal('text'), text: z.string() })])),
    ]),
  }),
  z.object({ type: z.literal('web_search_tool_result'), tool_use_id: z.string(), caller, content: searched }),
  z.object({ type: z.literal('compaction'), content: text, signature: text }),
])

const delta = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text_delta'), text: z.string() }),
  z.object({ type: z.literal('thinking_delta'), thinking: z.string() }),
  z.object({ type: z.literal('signature_delta'), signature: z.string() }),
  z.object({ type: z.literal('input_json_delta'), partial_json: z.string() }),
  z.object({ type: z.literal('compaction_delta'), content: text }),
  z.object({ type: z.literal('citations_delta'), citation: z.looseObject({ type: z.string() }) }),
])

const called = z.object({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.unknown(),
  caller,
})

const message = z.object({
  id: text,
  model: text,
  role: text,
  service_tier: text,
  usage: z.looseObject({
    service_tier: text,
    input_tokens: z.number(),
    cache_creation_input_tokens: number,
    cache_read_input_tokens: number,
  }),
  content: z.array(called).nullish(),
  stop_reason: text,
})

/** An event. */
export const eventSchema: z.ZodType = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message_start'), message }),
  z.object({ type: z.literal('content_block_start'), index: z.number(), content_block: block }),
  z.object({ type: z.literal('content_block_delta'), index: z.number(), delta }),
  z.object({ type: z.literal('content_block_stop'), index: z.number() }),
  z.object({
    type: z.literal('message_delta'),
    delta: z.object({ stop_reason: text, stop_sequence: text }),
    usage: z.looseObject({
      service_tier: text,
      input_tokens: number,
      output_tokens: z.number(),
      cache_creation_input_tokens: number,
      cache_read_input_tokens: number,
    }),
  }),
  z.object({ type: z.literal('message_stop') }),
  z.object({ type: z.literal('ping') }),
  z.object({
    type: z.literal('error'),
    error: z.object({ type: z.string(), message: z.string(), code: z.union([z.string(), z.number()]).nullish() }),
  }),
])
