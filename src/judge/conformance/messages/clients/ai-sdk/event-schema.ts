import * as z from 'zod'
import { withoutEval } from '../../../../../shared/system/without-eval.js'
import { variant } from '../../../clients/ai-sdk/variant.js'
import { caller, RESULTS } from './result-schemas.js'

withoutEval()

// The schemas of @ai-sdk/anthropic for the values of a stream.

const text = z.string().nullish()
const number = z.number().nullish()

const block = z.discriminatedUnion('type', [
  variant('text', { text: z.string() }),
  variant('thinking', { thinking: z.string() }),
  variant('redacted_thinking', { data: z.string() }),
  variant('tool_use', {
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()).optional(),
    caller,
  }),
  variant('server_tool_use', {
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()).nullish(),
    caller,
  }),
  variant('mcp_tool_use', { id: z.string(), name: z.string(), input: z.unknown(), server_name: z.string() }),
  variant('mcp_tool_result', {
    tool_use_id: z.string(),
    is_error: z.boolean(),
    content: z.union([z.string(), z.array(z.union([z.string(), variant('text', { text: z.string() })]))]),
  }),
  variant('compaction', { content: text, signature: text }),
  variant('fallback', { from: z.object({ model: z.string() }), to: z.object({ model: z.string() }) }),
  ...RESULTS,
])

const cited = { cited_text: z.string() }
const ofDocument = {
  ...cited,
  ...{ document_index: z.number(), document_title: z.string().nullable() },
}
const blocks = { start_block_index: z.number(), end_block_index: z.number() }

const citation = z.discriminatedUnion('type', [
  variant('web_search_result_location', {
    ...cited,
    ...{ url: z.string(), title: z.string().nullable(), encrypted_index: z.string() },
  }),
  variant('page_location', {
    ...ofDocument,
    ...{ start_page_number: z.number(), end_page_number: z.number(), file_id: text },
  }),
  variant('char_location', {
    ...ofDocument,
    ...{ start_char_index: z.number(), end_char_index: z.number(), file_id: text },
  }),
  variant('content_block_location', { ...ofDocument, ...blocks, file_id: z.string().nullable() }),
  variant('search_result_location', {
    ...cited,
    ...blocks,
    ...{ search_result_index: z.number(), source: z.string(), title: z.string().nullable() },
  }),
])

const delta = z.discriminatedUnion('type', [
  variant('text_delta', { text: z.string() }),
  variant('thinking_delta', { thinking: z.string() }),
  variant('signature_delta', { signature: z.string() }),
  variant('input_json_delta', { partial_json: z.string() }),
  variant('compaction_delta', { content: text }),
  variant('citations_delta', { citation }),
])

const called = variant('tool_use', { id: z.string(), name: z.string(), input: z.unknown(), caller })

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
  variant('message_start', { message }),
  variant('content_block_start', { index: z.number(), content_block: block }),
  variant('content_block_delta', { index: z.number(), delta }),
  variant('content_block_stop', { index: z.number() }),
  variant('message_delta', {
    delta: z.object({ stop_reason: text, stop_sequence: text }),
    usage: z.looseObject({
      service_tier: text,
      input_tokens: number,
      output_tokens: z.number(),
      cache_creation_input_tokens: number,
      cache_read_input_tokens: number,
    }),
  }),
  variant('message_stop', {}),
  variant('ping', {}),
  variant('error', {
    error: z.object({ type: z.string(), message: z.string(), code: z.union([z.string(), z.number()]).nullish() }),
  }),
])
