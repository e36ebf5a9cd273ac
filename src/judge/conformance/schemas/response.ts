import * as z from 'zod'
import { withoutEval } from '../../../shared/system/without-eval.js'
import type { WireOutputItem, WireTool } from './item-types.js'
import { outputItemSchema, tool } from './items.js'
import {
  byType,
  count,
  countOrNull,
  exactly,
  flag,
  flagOrNull,
  list,
  loose,
  number,
  numberOrNull,
  oneOf,
  orNull,
  strict,
  text,
  textOrNull,
} from './schema-builders.js'

withoutEval()

/** Token counts. Captures before 2026-07 have no `cache_write_tokens`. */
export type WireUsage = {
  input_tokens: number
  input_tokens_details: {
    cached_tokens: number
    cache_write_tokens?: number
    cache_write_tokens_details?: { ttl_12h_tokens: number; ttl_30m_tokens: number }
  }
  output_tokens: number
  output_tokens_details: { reasoning_tokens: number }
  total_tokens: number
}

/** The error of a failed response. Servers send more codes than the types list. */
export type WireResponseError = {
  code: string
  message: string
  type?: string | null
  param?: string | null
  misalignment?: {
    detailed_explanation?: string
    error_type?: string
    review_target?: string | null
    steer?: { message: string }
  }
}

export type WireResponse = {
  id: string
  object: 'response'
  created_at: number
  status: 'completed' | 'failed' | 'in_progress' | 'cancelled' | 'queued' | 'incomplete'
  error: WireResponseError | null
  /** `reason`: max_output_tokens, content_filter, or a newer one; every client accepts unknown reasons. */
  incomplete_details: { reason?: string } | null
  output: WireOutputItem[]
  usage: WireUsage | null
  // Fields of the request, which the response repeats
  background: boolean | null
  instructions: string | object[] | null
  max_output_tokens: number | null
  max_tool_calls: number | null
  metadata: { [key: string]: string } | null
  model: string
  parallel_tool_calls: boolean
  previous_response_id: string | null
  prompt_cache_key: string | null
  reasoning: object | null
  safety_identifier: string | null
  service_tier: string | null
  store: boolean
  temperature: number | null
  text: object
  tool_choice: string | WireTool
  tools: WireTool[]
  top_logprobs: number | null
  top_p: number | null
  truncation: 'auto' | 'disabled' | null
  // Fields of some releases, servers and requests
  access_programs?: object | null
  completed_at?: number | null
  conversation?: { id: string } | null
  frequency_penalty?: number
  image?: object
  input_transformations?: object[]
  moderation?: object | null
  presence_penalty?: number
  prompt?: object | null
  prompt_cache_diagnostics?: object
  prompt_cache_options?: object
  prompt_cache_retention?: string | null
  tool_usage?: object
  user?: string | null
}

/** Settings whose fields are not checked, because they change with every release. */
const settings: z.ZodType<object, object> = z.looseObject({}, 'an object')
const settingsOrNull: z.ZodType<object | null, object | null> = z.looseObject({}, 'an object or null').nullable()

const summary = oneOf('auto', 'concise', 'detailed', null).exactOptional()
const reasoningSettings: z.ZodType<object | null, object | null> = z
  .looseObject(
    {
      effort: oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', null).exactOptional(),
      summary,
      generate_summary: summary,
      context: textOrNull.exactOptional(),
      mode: text.exactOptional(),
    },
    'an object or null',
  )
  .nullable()
const textSettings: z.ZodType<object, object> = z.looseObject(
  {
    format: byType('text, json_object or json_schema', [
      z.looseObject({ type: oneOf('text') }, 'an object'),
      z.looseObject({ type: oneOf('json_object') }, 'an object'),
      z.looseObject(
        {
          type: oneOf('json_schema'),
          name: text,
          schema: settings,
          description: textOrNull.exactOptional(),
          strict: flagOrNull.exactOptional(),
        },
        'an object',
      ),
    ]).exactOptional(),
    verbosity: oneOf('low', 'medium', 'high', null).exactOptional(),
  },
  'an object',
)
// The cast: `WireResponse` has any string, so that a new choice of OpenAI does not break users' types.
const toolChoice = oneOf('none', 'auto', 'required') as z.ZodType as z.ZodType<string, string>

const time = z.int('unix time in whole seconds').nonnegative('unix time in whole seconds')

const usage = strict('usage', {
  input_tokens: count,
  input_tokens_details: strict('input_tokens_details', {
    cached_tokens: count,
    // Required by the type, but only in 4 of 30 OpenAI captures, those since 2026-07.
    cache_write_tokens: count.exactOptional(),
    cache_write_tokens_details: strict('cache_write_tokens_details', {
      ttl_12h_tokens: count,
      ttl_30m_tokens: count,
    }).exactOptional(),
  }),
  output_tokens: count,
  output_tokens_details: strict('output_tokens_details', { reasoning_tokens: count }),
  total_tokens: count,
})

const error = strict('response error', {
  // Any string: the type lists 21 codes, and OpenAI has sent another one (insufficient_quota).
  code: text,
  message: text,
  type: textOrNull.exactOptional(),
  param: textOrNull.exactOptional(),
  misalignment: strict('misalignment', {
    detailed_explanation: text.exactOptional(),
    error_type: text.exactOptional(),
    review_target: textOrNull.exactOptional(),
    steer: strict('steer', { message: text }).exactOptional(),
  }).exactOptional(),
})

/**
 * The response object. It requires the fields that all captures of OpenAI, Azure and LM Studio have, which are more
 * than the types require. It allows unknown keys, because they change with every release, `output_text`, which only the
 * SDKs add, and any value in some fields of the request that the response only repeats.
 */
export const responseSchema: z.ZodType<WireResponse, WireResponse> = exactly<WireResponse>()(
  loose('response', {
    id: text,
    object: oneOf('response'),
    created_at: time,
    status: oneOf('completed', 'failed', 'in_progress', 'cancelled', 'queued', 'incomplete'),
    error: orNull('an object', error),
    incomplete_details: orNull(
      'an object',
      strict('incomplete_details', {
        reason: text.exactOptional(),
      }),
    ),
    output: list(outputItemSchema),
    // Null until the response has ended, and if it failed (39 of 39 captures); the type has no null.
    usage: orNull('an object', usage),
    background: flagOrNull,
    instructions: z.union([text, list(settings), z.null()], 'a string, an array of items or null'),
    max_output_tokens: countOrNull,
    max_tool_calls: countOrNull,
    metadata: orNull('an object of strings', z.record(z.string(), text, 'an object of strings')),
    model: text,
    parallel_tool_calls: flag,
    previous_response_id: textOrNull,
    prompt_cache_key: textOrNull,
    reasoning: reasoningSettings,
    safety_identifier: textOrNull,
    service_tier: textOrNull,
    store: flag,
    temperature: numberOrNull,
    text: textSettings,
    tool_choice: z.union([toolChoice, tool], '"none", "auto", "required" or {type}'),
    tools: list(tool),
    top_logprobs: countOrNull,
    top_p: numberOrNull,
    truncation: oneOf('auto', 'disabled', null),
    // Required by the type, but in no capture.
    access_programs: settingsOrNull.exactOptional(),
    completed_at: time.nullable().exactOptional(),
    conversation: orNull('an object', loose('conversation', { id: text })).exactOptional(),
    frequency_penalty: number.exactOptional(),
    image: settings.exactOptional(),
    // Reasoning items of the input that were not passed to the model, and why.
    input_transformations: list(settings).exactOptional(),
    moderation: settingsOrNull.exactOptional(),
    presence_penalty: number.exactOptional(),
    prompt: settingsOrNull.exactOptional(),
    prompt_cache_diagnostics: settings.exactOptional(),
    prompt_cache_options: z
      .looseObject({ mode: text.exactOptional(), ttl: text.exactOptional() }, 'an object')
      // The cast: `WireResponse` has any object here, as for other settings.
      .exactOptional() as z.ZodType as z.ZodExactOptional<z.ZodType<object, object>>,
    prompt_cache_retention: textOrNull.exactOptional(),
    tool_usage: settings.exactOptional(),
    // Null at OpenAI and Azure, where the type has no null; missing at LM Studio.
    user: textOrNull.exactOptional(),
  }),
)
