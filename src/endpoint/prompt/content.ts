import { invalidType, invalidValue } from '../../shared/request-error.js'
import { objectAt, optionalTextIn, textIn } from '../../shared/request-fields.js'
import type { ReadAttachment } from './attachments.js'

/** Reads each type of content part as text. */
const PARTS: Readonly<Record<string, (part: Part) => string>> = {
  input_text: ({ fields, param }) => textIn(fields, 'text', param),
  output_text: ({ fields, param }) => textIn(fields, 'text', param),
  text: ({ fields, param }) => textIn(fields, 'text', param),
  refusal: ({ fields, param }) => textIn(fields, 'refusal', param),
  reasoning_text: ({ fields, param }) => textIn(fields, 'text', param),
  summary_text: ({ fields, param }) => textIn(fields, 'text', param),
  input_image: (part) => part.attach(part.param, 'image inputs are', '[image]'),
  computer_screenshot: (part) => part.attach(part.param, 'screenshots are', '[image]'),
  input_audio: (part) => part.attach(part.param, 'audio inputs are', '[audio]'),
  input_file: (part) => part.attach(part.param, 'file inputs are', `[file${nameOf(part)}]`),
}

interface Part {
  readonly fields: { readonly [field: string]: unknown }
  readonly param: string
  readonly attach: ReadAttachment
}

/**
 * Returns the text of a content: a string, or a list of parts, one per line.
 *
 * @throws RequestError if a part is unknown, or is an attachment and those are refused
 */
export function textOfContent(content: unknown, param: string, attach: ReadAttachment): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) throw invalidType(param, 'one of a string or an array of objects', content)
  return content.map((part, index) => textOfPart(part, `${param}[${index}]`, attach)).join('\n')
}

function textOfPart(part: unknown, param: string, attach: ReadAttachment): string {
  const fields = objectAt(part, param)
  const type = textIn(fields, 'type', param)
  const read = Object.hasOwn(PARTS, type) ? PARTS[type] : undefined
  if (read === undefined) throw invalidValue(`${param}.type`, type, Object.keys(PARTS))
  return read({ fields, param, attach })
}

/** Returns its name, or another label: an address without its query, which may contain a secret. */
function nameOf({ fields, param }: Part): string {
  const url = optionalTextIn(fields, 'file_url', param)
  const address = url?.startsWith('data:') ? undefined : url?.split(/[?#]/, 1)[0]
  const name = optionalTextIn(fields, 'filename', param) || optionalTextIn(fields, 'file_id', param) || address
  return name ? ` ${name}` : ''
}
