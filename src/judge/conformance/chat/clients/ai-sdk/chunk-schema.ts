import * as z from 'zod'
import { withoutEval } from '../../../../../shared/system/without-eval.js'

withoutEval()

// The schemas of @ai-sdk/openai-compatible for the values of a stream.

const text = z.string().nullish()
const number = z.number().nullish()

const usage = z
  .looseObject({
    prompt_tokens: number,
    completion_tokens: number,
    total_tokens: number,
    prompt_tokens_details: z.looseObject({ cached_tokens: number }).nullish(),
    completion_tokens_details: z
      .looseObject({ reasoning_tokens: number, accepted_prediction_tokens: number, rejected_prediction_tokens: number })
      .nullish(),
  })
  .nullish()

const extra = z.object({ google: z.object({ thought_signature: text }).nullish() }).nullish()

const call = z.object({
  index: number,
  id: text,
  function: z.object({ name: text, arguments: text }),
  extra_content: extra,
})

const delta = z.object({
  role: z.enum(['assistant', '']).nullish(),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).nullish(),
  reasoning_content: text,
  reasoning: text,
  tool_calls: z.array(call).nullish(),
})

/** A chunk. */
export const chunkSchema: z.ZodType = z.looseObject({
  id: text,
  created: number,
  model: text,
  choices: z.array(z.object({ delta: delta.nullish(), finish_reason: text })),
  usage,
})

/** The error that ends a failed stream. */
export const errorSchema: z.ZodType = z.object({
  error: z.object({
    message: z.string(),
    type: text,
    param: z.any().nullish(),
    code: z.union([z.string(), z.number()]).nullish(),
  }),
})
