import type { z } from 'zod'
import { readableText } from '../../../core/diagnostics/unknown-parts.js'
import type {
  InputAnnotation,
  InputContent,
  InputFile,
  InputImage,
  InputOutputText,
  InputRefusal,
  InputText,
  PromptCacheBreakpoint,
} from '../../../core/responses/input-content.js'
import type { Logprob } from '../../../core/responses/items.js'
import type { Fields } from '../../../shared/fields.js'
import { TEXT_OR_OBJECTS } from '../../../shared/request-fields.js'
import { byType, decimal, either, integer, list, object, oneOf, optional, text, typed } from './builders.js'

const breakpoint: z.ZodType<PromptCacheBreakpoint> = object({
  mode: oneOf('explicit'),
  ttl: optional(oneOf('30m', '12h')),
})

const annotation: z.ZodType<InputAnnotation> = byType<InputAnnotation>({
  file_citation: typed('file_citation', { file_id: text, filename: text, index: integer }),
  url_citation: typed('url_citation', { url: text, title: text, start_index: integer, end_index: integer }),
  container_file_citation: typed('container_file_citation', {
    container_id: text,
    file_id: text,
    filename: text,
    start_index: integer,
    end_index: integer,
  }),
  file_path: typed('file_path', { file_id: text, index: integer }),
})

const bytes = list('integers', integer)
const logprob: z.ZodType<Logprob> = object({
  token: text,
  logprob: decimal,
  bytes,
  top_logprobs: list('objects', object({ token: text, logprob: decimal, bytes })),
})

const inputText: z.ZodType<InputText> = typed('input_text', { text, prompt_cache_breakpoint: optional(breakpoint) })

const inputImage: z.ZodType<InputImage> = typed('input_image', {
  detail: optional(oneOf('low', 'high', 'auto', 'original')),
  image_url: optional(text),
  file_id: optional(text),
  prompt_cache_breakpoint: optional(breakpoint),
})

const inputFile: z.ZodType<InputFile> = typed('input_file', {
  file_id: optional(text),
  file_url: optional(text),
  file_data: optional(text),
  filename: optional(text),
  detail: optional(oneOf('auto', 'low', 'high')),
  prompt_cache_breakpoint: optional(breakpoint),
})

const outputText: z.ZodType<InputOutputText> = typed('output_text', {
  text,
  annotations: optional(list('objects', annotation)),
  logprobs: optional(list('objects', logprob)),
})

const refusal: z.ZodType<InputRefusal> = typed('refusal', { refusal: text })

/**
 * The parts of a message, and of a tool's output. OpenAI has a list for each role; here every role accepts all of them.
 */
export const CONTENT: { readonly [Type in InputContent['type']]: z.ZodType<Extract<InputContent, { type: Type }>> } = {
  input_text: inputText,
  input_image: inputImage,
  input_file: inputFile,
  output_text: outputText,
  refusal,
}

/** Returns what is read in place of a part of an unknown type. */
export function readablePart(part: Fields & { readonly type: string }): InputText {
  return { type: 'input_text', text: readableText(part) }
}

/** A text, or a list of parts. */
export const content: z.ZodType<string | InputContent[]> = either(
  TEXT_OR_OBJECTS,
  text,
  list('objects', byType<InputContent>(CONTENT), readablePart),
)
