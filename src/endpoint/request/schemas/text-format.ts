import type { z } from 'zod'
import type { TextFormat, TextOptions } from '../../../core/responses/request-parameters.js'
import { anyObject, byType, flag, nameLike, object, oneOf, optional, text, typed } from './builders.js'

export const FORMATS: { readonly [Type in TextFormat['type']]: z.ZodType<Extract<TextFormat, { type: Type }>> } = {
  text: typed('text', {}),
  json_object: typed('json_object', {}),
  json_schema: typed('json_schema', {
    name: nameLike(/^[a-zA-Z0-9_-]+$/, 64),
    schema: anyObject,
    description: optional(text),
    strict: optional(flag),
  }),
}

export const textFormat: z.ZodType<TextFormat> = byType<TextFormat>(FORMATS)

export const textOptions: z.ZodType<TextOptions> = object({
  format: optional(textFormat),
  verbosity: optional(oneOf('low', 'medium', 'high')),
})
