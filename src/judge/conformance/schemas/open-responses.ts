import * as z from 'zod'
import { withoutEval } from '../../../shared/system/without-eval.js'
import {
  citation,
  fields,
  integer,
  integerOrNull,
  logprobs,
  open,
  openItem,
  orExtension,
  part,
} from './open-responses-items.js'
import { anything, byType, flag, list, number, oneOf, orNull, text, textOrNull } from './schema-builders.js'

withoutEval()

// The events of Open Responses (specification of 2026-04-24), by its published schema, with every field. It requires
// some fields that OpenAI omits (`completed_at`), and makes others optional (`logprobs`).

const effort = oneOf('none', 'low', 'medium', 'high', 'xhigh', null)
const choice = oneOf('none', 'auto', 'required')
const functionChoice = open('function', { name: text.exactOptional() })
const settings = z.looseObject({}, 'an object')

const tool = orExtension(
  byType('function, or a type with a prefix', [
    open('function', {
      name: text,
      description: textOrNull,
      parameters: orNull('an object', settings),
      strict: z.boolean('true, false or null').nullable(),
    }),
  ]),
)

const format = byType('text, json_object or json_schema', [
  open('text', {}),
  open('json_object', {}),
  open('json_schema', {
    name: text,
    description: textOrNull,
    // The published schema allows only null, by an oversight: a format without a schema is meaningless.
    schema: orNull('an object', settings),
    strict: flag,
  }),
])

const usage = fields({
  input_tokens: integer,
  output_tokens: integer,
  total_tokens: integer,
  input_tokens_details: fields({ cached_tokens: integer }),
  output_tokens_details: fields({ reasoning_tokens: integer }),
})

const response = fields({
  id: text,
  object: oneOf('response'),
  created_at: integer,
  completed_at: integerOrNull,
  status: text,
  incomplete_details: orNull('an object', fields({ reason: text })),
  model: text,
  previous_response_id: textOrNull,
  instructions: textOrNull,
  output: list(openItem),
  error: orNull('an object', fields({ code: text, message: text })),
  tools: list(tool),
  tool_choice: z.union(
    [
      choice,
      orExtension(
        byType('function or allowed_tools', [
          functionChoice,
          open('allowed_tools', { tools: list(orExtension(functionChoice)), mode: choice }),
        ]),
      ),
    ],
    '"none", "auto", "required", or an object that names tools',
  ),
  truncation: oneOf('auto', 'disabled'),
  parallel_tool_calls: flag,
  text: fields({ format, verbosity: oneOf('low', 'medium', 'high').exactOptional() }),
  top_p: number,
  presence_penalty: number,
  frequency_penalty: number,
  top_logprobs: integer,
  temperature: number,
  reasoning: orNull('an object', fields({ effort, summary: oneOf('concise', 'detailed', 'auto', null) })),
  usage: orNull('an object', usage),
  max_output_tokens: integerOrNull,
  max_tool_calls: integerOrNull,
  store: flag,
  background: flag,
  service_tier: text,
  metadata: anything,
  safety_identifier: textOrNull,
  prompt_cache_key: textOrNull,
})

const sequenced = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  open(type, { sequence_number: integer, ...shape })
const ofItem = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  sequenced(type, { item_id: text, output_index: integer, ...shape })
const ofPart = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  ofItem(type, { content_index: integer, ...shape })
const ofSummary = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  ofItem(type, { summary_index: integer, ...shape })

const delta = { delta: text }
const hidden = { delta: text, obfuscation: text.exactOptional() }
const ofOutput = { output_index: integer, item: orNull('an item', openItem) }

const union = byType('the type of an event', [
  sequenced('response.created', { response }),
  sequenced('response.queued', { response }),
  sequenced('response.in_progress', { response }),
  sequenced('response.completed', { response }),
  sequenced('response.incomplete', { response }),
  sequenced('response.failed', { response }),
  sequenced('response.output_item.added', ofOutput),
  sequenced('response.output_item.done', ofOutput),
  ofPart('response.content_part.added', { part }),
  ofPart('response.content_part.done', { part }),
  ofPart('response.output_text.delta', { ...hidden, logprobs: logprobs }),
  ofPart('response.output_text.done', { text, logprobs: logprobs }),
  ofPart('response.output_text.annotation.added', {
    annotation_index: integer,
    annotation: orNull('an object', citation),
  }),
  ofPart('response.refusal.delta', delta),
  ofPart('response.refusal.done', { refusal: text }),
  ofPart('response.reasoning.delta', hidden),
  ofPart('response.reasoning.done', { text }),
  ofSummary('response.reasoning_summary_part.added', { part }),
  ofSummary('response.reasoning_summary_part.done', { part }),
  ofSummary('response.reasoning_summary_text.delta', hidden),
  ofSummary('response.reasoning_summary_text.done', { text }),
  ofItem('response.function_call_arguments.delta', hidden),
  ofItem('response.function_call_arguments.done', { arguments: text }),
  sequenced('error', {
    error: fields({
      type: text,
      code: textOrNull,
      message: text,
      param: textOrNull,
      headers: z.record(z.string(), text, 'an object of strings').exactOptional(),
    }),
  }),
])

/** Any event that Open Responses defines. Unknown fields are allowed. */
export const openResponsesEventSchema: z.ZodType = union

/** The types of the events that Open Responses defines. */
export const OPEN_RESPONSES_TYPES: ReadonlySet<string> = new Set(
  union.options.flatMap(({ shape }) => [...shape.type.values]),
)
