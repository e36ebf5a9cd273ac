import { invalidType, invalidValue, unsupported } from '../request-error.js'
import { fieldOf, objectAt, optionalTextIn, textIn } from './fields.js'

/**
 * What becomes of images and files, which gpt-oss cannot see: `refuse` the request, or put a `placeholder` that names
 * them into the prompt. An image in the history would otherwise end the session.
 */
export type AttachmentPolicy = 'refuse' | 'placeholder'

/** How each type of content part reads as text. */
const PARTS: Readonly<Record<string, (part: Part) => string>> = {
  input_text: ({ fields, param }) => textIn(fields, 'text', param),
  output_text: ({ fields, param }) => textIn(fields, 'text', param),
  text: ({ fields, param }) => textIn(fields, 'text', param),
  refusal: ({ fields, param }) => textIn(fields, 'refusal', param),
  reasoning_text: ({ fields, param }) => textIn(fields, 'text', param),
  summary_text: ({ fields, param }) => textIn(fields, 'text', param),
  input_image: (part) => attachment(part, 'image inputs are', '[image]'),
  computer_screenshot: (part) => attachment(part, 'screenshots are', '[image]'),
  input_audio: (part) => attachment(part, 'audio inputs are', '[audio]'),
  input_file: (part) => attachment(part, 'file inputs are', `[file${nameOf(part)}]`),
}

interface Part {
  readonly fields: { readonly [field: string]: unknown }
  readonly param: string
  readonly attachments: AttachmentPolicy
}

/**
 * The text of a content: a string, or a list of parts, a line each.
 *
 * @throws RequestError if a part is unknown, or is an attachment and those are refused
 */
export function textOfContent(content: unknown, param: string, attachments: AttachmentPolicy): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) throw invalidType(param, 'one of a string or an array of objects', content)
  return content.map((part, index) => textOfPart(part, `${param}[${index}]`, attachments)).join('\n')
}

function textOfPart(part: unknown, param: string, attachments: AttachmentPolicy): string {
  const fields = objectAt(part, param)
  const type = textIn(fields, 'type', param)
  const read = Object.hasOwn(PARTS, type) ? PARTS[type] : undefined
  if (read === undefined) throw invalidValue(`${param}.type`, type, Object.keys(PARTS))
  return read({ fields, param, attachments })
}

function attachment({ param, attachments }: Part, what: string, placeholder: string): string {
  if (attachments === 'refuse') throw unsupported(param, what)
  return placeholder
}

function nameOf({ fields, param }: Part): string {
  if (fieldOf(fields, 'filename') === undefined) return ''
  return ` ${optionalTextIn(fields, 'filename', param)}`
}
