import { invalidValue } from '../../shared/request-error.js'
import { listAt, objectAt, optionalTextIn, TEXT_OR_OBJECTS, textIn } from '../../shared/request-fields.js'
import type { ReadAttachment } from './attachments.js'

/** Reads each type of content part as text. */
const PARTS: Readonly<Record<string, (part: Part) => string>> = {
  input_text: ({ fields, param }) => textIn(fields, 'text', param),
  output_text: ({ fields, param }) => textIn(fields, 'text', param),
  text: ({ fields, param }) => textIn(fields, 'text', param),
  refusal: ({ fields, param }) => textIn(fields, 'refusal', param),
  reasoning_text: ({ fields, param }) => textIn(fields, 'text', param),
  summary_text: ({ fields, param }) => textIn(fields, 'text', param),
  input_image: (part) => part.attach(part.param, 'image inputs are', '[image]', imageOf(part)),
  computer_screenshot: (part) => part.attach(part.param, 'screenshots are', '[image]', imageOf(part)),
  input_audio: (part) => part.attach(part.param, 'audio inputs are', '[audio]'),
  input_file: (part) => plainText(part) ?? part.attach(part.param, 'file inputs are', `[file${nameOf(part)}]`),
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
  return listAt(content, param, TEXT_OR_OBJECTS)
    .map((part, index) => textOfPart(part, `${param}[${index}]`, attach))
    .join('\n')
}

function textOfPart(part: unknown, param: string, attach: ReadAttachment): string {
  const fields = objectAt(part, param)
  const type = textIn(fields, 'type', param)
  const read = Object.hasOwn(PARTS, type) ? PARTS[type] : undefined
  if (read === undefined) throw invalidValue(`${param}.type`, type, Object.keys(PARTS))
  return read({ fields, param, attach })
}

/** The address of an image; undefined if it is a file of a store, which no engine reads. */
function imageOf({ fields, param }: Part): string | undefined {
  return optionalTextIn(fields, 'image_url', param)
}

/** A data URL of plain text: its parameters, whether it is in base64, and its content. */
const TEXT_URL = /^data:text\/plain((?:;[^;,]*)*?)(;base64)?,/i

/** Returns the text of a file of plain text that the part contains, under its name; undefined for any other file. */
function plainText(part: Part): string | undefined {
  const data = optionalTextIn(part.fields, 'file_data', part.param)
  const [head = '', , isBase64] = TEXT_URL.exec(data ?? '') ?? []
  if (data === undefined || head === '') return undefined
  const text = isBase64 ? decodedText(data.slice(head.length)) : unescaped(data.slice(head.length))
  return text === undefined ? undefined : `[file${nameOf(part)}]\n${text}`
}

/** Undefined if it is no base64 of UTF-8. */
function decodedText(base64: string): string | undefined {
  try {
    const binary = atob(base64)
    const bytes = new Uint8Array(binary.length)
    // Not `from`, which reads characters one by one: 20 MB took three seconds.
    for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at)
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Returns its name, or another label: an address without its query, which may contain a secret. */
function nameOf({ fields, param }: Part): string {
  const url = optionalTextIn(fields, 'file_url', param)
  const address = url?.startsWith('data:') ? undefined : url?.split(/[?#]/, 1)[0]
  const name = optionalTextIn(fields, 'filename', param) || optionalTextIn(fields, 'file_id', param) || address
  return name ? ` ${name}` : ''
}
