import type { z } from 'zod'
import type { ReasoningText, SummaryText, UrlCitation } from '../../../core/responses/items.js'
import { byType, count, exactly, list, number, oneOf, strict, text, textOrNull, typed } from './schema-builders.js'

export type WireAnnotation =
  | UrlCitation
  | { type: 'file_citation'; file_id: string; filename: string; index: number }
  | {
      type: 'container_file_citation'
      container_id: string
      file_id: string
      filename: string
      start_index: number
      end_index: number
    }
  | { type: 'file_path'; file_id: string; index: number }

export interface WireLogprob {
  token: string
  logprob: number
  bytes: number[]
  top_logprobs: { token: string; logprob: number; bytes: number[] }[]
}

/** A logprob of a delta: the types have no bytes here, and top_logprobs may be missing. */
export interface WireDeltaLogprob {
  token: string
  logprob: number
  bytes?: number[]
  top_logprobs?: { token?: string; logprob?: number; bytes?: number[] }[]
}

export interface WireOutputText {
  type: 'output_text'
  text: string
  annotations: WireAnnotation[]
  logprobs?: WireLogprob[]
}

export interface WireRefusal {
  type: 'refusal'
  refusal: string
}

/** A part of a tool's input or output. */
export type WireInputPart =
  | { type: 'input_text'; text: string; prompt_cache_breakpoint?: CacheBreakpoint }
  | {
      type: 'input_image'
      detail: 'low' | 'high' | 'auto' | 'original'
      file_id?: string | null
      image_url?: string | null
      prompt_cache_breakpoint?: CacheBreakpoint
    }
  | {
      type: 'input_file'
      detail?: 'auto' | 'low' | 'high'
      file_data?: string
      file_id?: string | null
      file_url?: string
      filename?: string
      prompt_cache_breakpoint?: CacheBreakpoint
    }
type CacheBreakpoint = { mode: 'explicit'; ttl?: '30m' | '12h' }

const annotationUnion = byType('the type of an annotation', [
  typed('url_citation', { url: text, title: text, start_index: count, end_index: count }),
  typed('file_citation', { file_id: text, filename: text, index: count }),
  typed('container_file_citation', {
    container_id: text,
    file_id: text,
    filename: text,
    start_index: count,
    end_index: count,
  }),
  typed('file_path', { file_id: text, index: count }),
])

const topLogprob = strict('top logprob', { token: text, logprob: number, bytes: list(count) })
const partLogprob = strict('logprob', {
  token: text,
  logprob: number,
  bytes: list(count),
  top_logprobs: list(topLogprob),
})
const deltaTopLogprob = strict('top logprob of a delta', {
  token: text.exactOptional(),
  logprob: number.exactOptional(),
})

const outputText = typed('output_text', {
  text,
  annotations: list(annotationUnion),
  logprobs: list(partLogprob).exactOptional(),
})
const refusal = typed('refusal', { refusal: text })
const reasoning = typed('reasoning_text', { text })

export const annotation: z.ZodType<WireAnnotation, WireAnnotation> = exactly<WireAnnotation>()(annotationUnion)

export const deltaLogprobs: z.ZodType<WireDeltaLogprob[], WireDeltaLogprob[]> = exactly<WireDeltaLogprob[]>()(
  list(
    strict('logprob of a delta', {
      token: text,
      logprob: number,
      top_logprobs: list(deltaTopLogprob).exactOptional(),
    }),
  ),
)

/** A part of a message. */
export const messagePart: z.ZodType<WireOutputText | WireRefusal, WireOutputText | WireRefusal> = exactly<
  WireOutputText | WireRefusal
>()(byType('output_text or refusal', [outputText, refusal]))

export type WireContentPart = WireOutputText | WireRefusal | ReasoningText
/** A part of a message or of reasoning. */
export const contentPart: z.ZodType<WireContentPart, WireContentPart> = exactly<WireContentPart>()(
  byType('output_text, refusal or reasoning_text', [outputText, refusal, reasoning]),
)

export const reasoningText: z.ZodType<ReasoningText, ReasoningText> = exactly<ReasoningText>()(reasoning)
export const summaryText: z.ZodType<SummaryText, SummaryText> = exactly<SummaryText>()(typed('summary_text', { text }))

const breakpoint = strict('prompt_cache_breakpoint', {
  mode: oneOf('explicit'),
  ttl: oneOf('30m', '12h').exactOptional(),
}).exactOptional()

export const inputPart: z.ZodType<WireInputPart, WireInputPart> = exactly<WireInputPart>()(
  byType('input_text, input_image or input_file', [
    typed('input_text', { text, prompt_cache_breakpoint: breakpoint }),
    typed('input_image', {
      detail: oneOf('low', 'high', 'auto', 'original'),
      file_id: textOrNull.exactOptional(),
      image_url: textOrNull.exactOptional(),
      prompt_cache_breakpoint: breakpoint,
    }),
    typed('input_file', {
      detail: oneOf('auto', 'low', 'high').exactOptional(),
      file_data: text.exactOptional(),
      file_id: textOrNull.exactOptional(),
      file_url: text.exactOptional(),
      filename: text.exactOptional(),
      prompt_cache_breakpoint: breakpoint,
    }),
  ]),
)
