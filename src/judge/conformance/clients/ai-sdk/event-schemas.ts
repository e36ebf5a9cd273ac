import * as z from 'zod'
import { withoutEval } from '../../../../shared/system/without-eval.js'
import { variant } from './variant.js'

withoutEval()

// The schemas of @ai-sdk/openai for the events that it knows. For items see item-schemas.ts.

const text = z.string()
const number = z.number()
const optionalText = text.nullish()
const optionalNumber = number.nullish()

/** An object, but not an array. */
const object = z.record(text, z.unknown())

const usageSchema = z.intersection(
  object,
  z.object({
    input_tokens: number,
    input_tokens_details: z
      .intersection(
        object,
        z.object({
          cached_tokens: optionalNumber,
          cache_write_tokens: optionalNumber,
          cache_write_tokens_details: z
            .intersection(object, z.object({ ttl_30m_tokens: optionalNumber, ttl_12h_tokens: optionalNumber }))
            .nullish(),
          orchestration_input_tokens: optionalNumber,
          orchestration_input_cached_tokens: optionalNumber,
        }),
      )
      .nullish(),
    output_tokens: number,
    output_tokens_details: z
      .intersection(object, z.object({ reasoning_tokens: optionalNumber, orchestration_output_tokens: optionalNumber }))
      .nullish(),
    total_tokens: number.optional(),
  }),
)

const endedSchema = z.object({
  prompt_cache_diagnostics: z
    .object({
      type: text,
      reason: optionalText,
      cache_missed_tokens: optionalNumber,
      comparison_reusable_tokens: optionalNumber,
    })
    .nullish(),
  incomplete_details: z.object({ reason: text }).nullish(),
  usage: usageSchema.nullish(),
  reasoning: z.object({ context: optionalText }).nullish(),
  service_tier: optionalText,
})

const begunSchema = z.object({ id: text, created_at: number, model: text, service_tier: optionalText })

const logprobSchema = z.object({ token: text, logprob: number })

/** An event about an item. Its output_index may be missing. */
const ofItem = { item_id: text, output_index: optionalNumber }
/** An event about a call, which the SDK finds by its output_index. */
const ofCall = { item_id: text, output_index: number }

const errorFields = { code: optionalText, message: text, param: optionalText }

/** The flat and the nested shape of an error event. The SDK accepts both. */
export const errorSchema: z.ZodType = z.object({ sequence_number: number, ...errorFields })
export const nestedErrorSchema: z.ZodType = z.object({
  sequence_number: number,
  error: z.object({ type: text, ...errorFields }),
})

const deltaOfCall = z.object({ ...ofCall, delta: text })
const summaryPartSchema = z.object({ ...ofItem, summary_index: number })

/** The schemas by event type, for all known events except `error` and those with an item. */
export const EVENTS: Readonly<Record<string, z.ZodType>> = {
  'response.created': z.object({ response: begunSchema }),
  'response.in_progress': z.object({ response: begunSchema }),
  'response.completed': z.object({ response: endedSchema }),
  'response.incomplete': z.object({ response: endedSchema }),
  'response.failed': z.object({
    sequence_number: number,
    response: endedSchema.extend({ error: z.object({ code: optionalText, message: text }).nullish() }),
  }),
  'response.output_text.delta': z.object({
    ...ofItem,
    delta: text,
    logprobs: z.array(logprobSchema.extend({ top_logprobs: z.array(logprobSchema) })).nullish(),
  }),
  'response.refusal.delta': z.object({ ...ofItem, content_index: optionalNumber, delta: text }),
  'response.refusal.done': z.object({ ...ofItem, content_index: optionalNumber, refusal: text }),
  'response.output_text.annotation.added': z.object({
    annotation: z.discriminatedUnion('type', [
      variant('url_citation', { start_index: number, end_index: number, url: text, title: text }),
      variant('file_citation', { file_id: text, filename: text, index: number }),
      variant('container_file_citation', {
        container_id: text,
        file_id: text,
        filename: text,
        start_index: number,
        end_index: number,
      }),
      variant('file_path', { file_id: text, index: number }),
    ]),
  }),
  'response.reasoning_summary_part.added': summaryPartSchema,
  'response.reasoning_summary_part.done': summaryPartSchema,
  'response.reasoning_summary_text.delta': summaryPartSchema.extend({ delta: text }),
  'response.function_call_arguments.delta': deltaOfCall,
  'response.function_call_arguments.done': z.object({ ...ofCall, arguments: text }),
  'response.custom_tool_call_input.delta': deltaOfCall,
  'response.code_interpreter_call_code.delta': deltaOfCall,
  'response.code_interpreter_call_code.done': z.object({ ...ofCall, code: text }),
  'response.image_generation_call.partial_image': z.object({ ...ofCall, partial_image_b64: text }),
  'response.apply_patch_call_operation_diff.delta': deltaOfCall.extend({ obfuscation: optionalText }),
  'response.apply_patch_call_operation_diff.done': z.object({ ...ofCall, diff: text }),
}

/** The events with an item, whatever its type. */
export const itemEventSchema: z.ZodType = z.object({ output_index: number })
