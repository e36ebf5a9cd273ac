import * as z from 'zod'
import { withoutEval } from '../../../shared/system/without-eval.js'
import { byType, list, number, oneOf, text, textOrNull } from './schema-builders.js'

withoutEval()

// The items of Open Responses (specification of 2026-04-24), by its published schema. Unknown fields are allowed.

/** A whole number. Other rules report negative indexes and counts. */
export const integer: z.ZodInt = z.int('a whole number')
export const integerOrNull: z.ZodNullable<z.ZodInt> = z.int('a whole number or null').nullable()

/** An object with at least these fields. */
export function fields<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$loose> {
  return z.looseObject(shape, 'an object')
}

/** As {@link fields}, for an object with a `type`. */
export function open<const Type extends string, Shape extends z.ZodRawShape>(
  type: Type,
  shape: Shape,
): z.ZodObject<{ type: z.ZodLiteral<Type> } & Shape, z.core.$loose> {
  return fields({ type: oneOf(type), ...shape })
}

/** An extension has the name of the server before its type: `acme:search_call`. */
const extension: z.ZodType = z.looseObject(
  { type: z.string('a string').regex(/:/, 'a type with a prefix') },
  'an object',
)

/** One of these objects, or an extension. */
export function orExtension<Schema extends z.ZodType>(schema: Schema): z.ZodUnion<[Schema, typeof extension]> {
  return z.union([schema, extension], 'an object of a known type, or of one with a prefix')
}

const urlCitation = open('url_citation', { url: text, title: text, start_index: integer, end_index: integer })
export const citation: z.ZodType = byType('url_citation', [urlCitation])

const tokenLogprob = { token: text, logprob: number, bytes: list(integer) }
export const logprobs: z.ZodType = list(
  fields({ ...tokenLogprob, top_logprobs: list(fields(tokenLogprob)) }),
).exactOptional()

const imageDetail = oneOf('low', 'high', 'auto')
const inputText = open('input_text', { text })
const inputImage = open('input_image', { image_url: textOrNull, detail: imageDetail })
const inputFile = open('input_file', { filename: text.exactOptional(), file_url: text.exactOptional() })
const inputVideo = open('input_video', { video_url: text })
const written = [
  open('output_text', { text, annotations: list(citation), logprobs: logprobs }),
  open('text', { text }),
  open('summary_text', { text }),
  open('reasoning_text', { text }),
  open('refusal', { refusal: text }),
] as const

/** A part of an item or an event. The schema allows every type of part in every place. */
export const part: z.ZodType = byType('the type of a part', [...written, inputText, inputImage, inputFile])
const messagePart = byType('the type of a part', [...written, inputText, inputImage, inputFile, inputVideo])
const resultPart = byType('input_text, input_image or input_file', [inputText, inputImage, inputFile])

const status = oneOf('in_progress', 'completed', 'incomplete')
const item = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  open(type, { id: text, ...shape })

/** An output item. */
export const openItem: z.ZodType = orExtension(
  byType('the type of an item, or one with a prefix', [
    item('message', {
      status,
      role: oneOf('user', 'assistant', 'system', 'developer'),
      content: list(messagePart),
      phase: oneOf('commentary', 'final_answer').exactOptional(),
    }),
    item('function_call', { call_id: text, name: text, arguments: text, status }),
    item('function_call_output', {
      call_id: text,
      output: z.union([text, list(resultPart)], 'a string or an array of parts'),
      status,
    }),
    item('reasoning', {
      summary: list(part),
      content: list(part).exactOptional(),
      encrypted_content: text.exactOptional(),
    }),
    item('compaction', { encrypted_content: text, created_by: text.exactOptional() }),
  ]),
)
