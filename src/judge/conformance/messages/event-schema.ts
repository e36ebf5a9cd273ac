import * as z from 'zod'
import { withoutEval } from '../../../shared/system/without-eval.js'
import { anything, byType, count, list, loose, oneOf, orNull, text, textOrNull } from '../schemas/schema-builders.js'

withoutEval()

// The fields of the `@anthropic-ai/sdk` 1.14 types that every server has to send. Further fields are accepted everywhere:
// Anthropic adds some with every release, and its clients skip what they do not know.

const typed = (type: string, shape: z.ZodRawShape) => loose(`messages.${type}`, { type: oneOf(type), ...shape })

const input: z.ZodType = z.looseObject({}, 'an object')
const countOrNull = count.nullable().optional()

/** The counts of a message so far. Servers without a cache omit its counts. */
const usage = loose('messages.usage', {
  input_tokens: countOrNull,
  output_tokens: count,
  cache_creation_input_tokens: countOrNull,
  cache_read_input_tokens: countOrNull,
})

const toolUse = { id: text, name: text, input }

/** The blocks whose fields clients read. Those of server tools have results of many forms. */
const block = z.union(
  [
    byType('the type of a block', [
      typed('text', { text, citations: orNull('an array', list(anything)).optional() }),
      typed('thinking', { thinking: text, signature: text.optional() }),
      typed('redacted_thinking', { data: text }),
      typed('tool_use', toolUse),
      typed('server_tool_use', toolUse),
      typed('mcp_tool_use', { ...toolUse, server_name: text }),
      typed('mcp_tool_listing', { mcp_server_name: text }),
      typed('container_upload', { file_id: text }),
      typed('compaction', { content: textOrNull }),
      typed('fallback', {}),
    ]),
    loose('messages.result', { type: text, tool_use_id: text }),
  ],
  'a block',
)

const delta = byType('the type of a delta', [
  typed('text_delta', { text }),
  typed('thinking_delta', { thinking: text }),
  typed('signature_delta', { signature: text }),
  typed('input_json_delta', { partial_json: text }),
  typed('compaction_delta', { content: textOrNull }),
  typed('citations_delta', { citation: z.looseObject({ type: text }, 'an object') }),
])

const stopReason = orNull(
  'a stop_reason',
  oneOf(
    'end_turn',
    'max_tokens',
    'stop_sequence',
    'tool_use',
    'pause_turn',
    'compaction',
    'refusal',
    'model_context_window_exceeded',
  ),
)

const message = loose('messages.message', {
  id: text,
  type: oneOf('message'),
  role: oneOf('assistant'),
  model: text,
  content: list(block),
  stop_reason: stopReason,
  stop_sequence: textOrNull,
  usage: loose('messages.first_usage', {
    input_tokens: count,
    output_tokens: count,
    cache_creation_input_tokens: countOrNull,
    cache_read_input_tokens: countOrNull,
  }),
})

/** An event of the Messages API. */
export const messageEventSchema: z.ZodType = byType('the type of an event', [
  typed('message_start', { message }),
  typed('content_block_start', { index: count, content_block: block }),
  typed('content_block_delta', { index: count, delta }),
  typed('content_block_stop', { index: count }),
  typed('message_delta', {
    delta: loose('messages.end', { stop_reason: stopReason, stop_sequence: textOrNull }),
    usage,
  }),
  typed('message_stop', {}),
  typed('ping', {}),
  typed('error', { error: loose('messages.error', { type: text, message: text }) }),
])

/** The types of its events. A stream may have others, as Anthropic adds some. */
export const MESSAGE_EVENT_TYPES: ReadonlySet<string> = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'ping',
  'error',
])
