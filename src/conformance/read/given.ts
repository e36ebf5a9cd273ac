import { describe } from '../../errors.js'
import { fieldsOf, isFields, listOf, textOf } from '../stream-event.js'

/** What a capture may be, beside plain server-sent events and JSON. */
export type CaptureFormat =
  | 'curl'
  | 'har'
  | 'utf-16'
  | 'response'
  | 'chat-completions'
  | 'error'
  | 'json'
  | 'html'
  | 'gzip'
  | 'binary'
  | 'text'

/** What was given, and how to say it. */
export interface Given {
  readonly format: CaptureFormat
  readonly words: string
}

/** What a JSON value without a type is, where it is known: no event of the Responses API, but often given for one. */
export function foreignValue(value: unknown): Given | undefined {
  if (!isFields(value)) return undefined
  const { object } = value
  if (object === 'response') {
    return { format: 'response', words: 'a response that was not streamed (the request lacks "stream": true)' }
  }
  if (object === 'chat.completion.chunk') {
    return { format: 'chat-completions', words: 'a Chat Completions stream, not one of the Responses API' }
  }
  if (object === 'chat.completion' || object === 'text_completion') {
    return { format: 'chat-completions', words: `an answer of another API (object "${object}")` }
  }
  const message = errorMessage(value)
  return message === undefined ? undefined : { format: 'error', words: `an error: ${message}` }
}

/** The message of an error body, as servers word them: OpenAI's, vLLM's, FastAPI's, and bare ones. */
function errorMessage(value: { readonly [field: string]: unknown }): string | undefined {
  const { error, object, message, detail } = value
  if (typeof error === 'string') return short(error)
  if (isFields(error)) return short(textOf(error['message']) || JSON.stringify(error))
  if (object === 'error') return short(textOf(message))
  if (typeof detail === 'string') return short(detail)
  const details = listOf(detail).map((one) => textOf(fieldsOf(one)['msg']))
  return details.length > 0 && details.every((one) => one !== '') ? short(details.join('; ')) : undefined
}

function short(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}...` : text
}

/** JSON that nobody knows. */
export function anyJson(value: unknown): Given {
  if (!isFields(value)) return { format: 'json', words: `JSON that is no event: ${describe(value)}` }
  const names = Object.keys(value).slice(0, 5).join(', ')
  return {
    format: 'json',
    words: `JSON that is no event: an object ${names === '' ? 'without fields' : `of ${names}`}`,
  }
}

/** What bytes are that are no text, by how they begin. */
export function binaryFormat(bytes: Uint8Array): Given | undefined {
  const starts = (...magic: number[]): boolean => magic.every((byte, at) => bytes[at] === byte)
  if (starts(0x1f, 0x8b)) return { format: 'gzip', words: 'gzip' }
  if (starts(0x28, 0xb5, 0x2f, 0xfd)) return { format: 'binary', words: 'zstd: unpack it first' }
  if (starts(0x50, 0x4b, 0x03, 0x04)) return { format: 'binary', words: 'a zip archive: unpack it first' }
  if (starts(0xfd, 0x37, 0x7a, 0x58, 0x5a)) return { format: 'binary', words: 'xz: unpack it first' }
  // Text has no control characters but tabs, line ends and escapes.
  const odd = bytes.subarray(0, 512).reduce((sum, byte) => sum + Number(byte < 7 || (byte > 13 && byte < 27)), 0)
  return odd > 4 ? { format: 'binary', words: 'binary data' } : undefined
}
