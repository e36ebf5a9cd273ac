import { describe } from '../../../shared/errors.js'
import { isFields } from '../../../shared/fields.js'
import { shortened } from '../../../shared/shortened.js'
import { API_NAMES, type Api } from '../api.js'
import { asFields, asList, asString } from '../stream-event.js'

/** Formats of captures, besides plain server-sent events and JSON events. */
export type CaptureFormat =
  | 'curl'
  | 'har'
  | 'utf-16'
  | 'response'
  | 'chat-completions'
  | 'responses'
  | 'messages'
  | 'web-socket'
  | 'error'
  | 'json'
  | 'html'
  | 'gzip'
  | 'binary'
  | 'text'

/** The format of a capture, with a description for messages. */
export interface DetectedFormat {
  readonly format: CaptureFormat
  readonly description: string
}

/** The `object` of a chunk of Chat Completions. */
export const CHUNK = 'chat.completion.chunk'

/** Whether a value is meant as a chunk of Chat Completions. */
export function isChatChunk(value: unknown): boolean {
  if (!isFields(value) || typeof value['type'] === 'string') return false
  const { object, choices } = value
  if (object === CHUNK || !Array.isArray(choices)) return object === CHUNK
  // An answer that was not streamed has messages or texts; some servers name their chunks like it.
  const isWhole = object === 'chat.completion' || object === 'text_completion'
  return !isWhole || choices.some((choice) => 'delta' in Object(choice))
}

/** Recognizes JSON values that people mistake for chunks of Chat Completions. */
export function detectForeignChunk(value: unknown): DetectedFormat | undefined {
  if (!isFields(value)) return undefined
  const { object, type } = value
  if (object === 'chat.completion') {
    const description = 'a completion that was not streamed (the request lacks "stream": true)'
    return { format: 'chat-completions', description }
  }
  return (typeof type === 'string' ? detectForeignEvent(type, 'chat') : undefined) ?? detectForeignJson(value, 'chat')
}

/** Recognizes JSON values that people often mistake for events of the API that is read. */
export function detectForeignJson(value: unknown, api: Api): DetectedFormat | undefined {
  if (!isFields(value)) return undefined
  const { object } = value
  if (object === 'response') {
    return { format: 'response', description: 'a response that was not streamed (the request lacks "stream": true)' }
  }
  if (object === CHUNK) {
    const description = `a Chat Completions stream, not one of ${API_NAMES[api]} (check it with --profile chat)`
    return { format: 'chat-completions', description }
  }
  if (object === 'chat.completion' || object === 'text_completion') {
    return { format: 'chat-completions', description: `an answer of another API (object "${object}")` }
  }
  const message = errorMessage(value)
  return message === undefined ? undefined : { format: 'error', description: `an error: ${message}` }
}

const MESSAGES = /^(message_start|content_block_(start|delta|stop)|message_(delta|stop)|ping)$/

/** Recognizes the events of other APIs than the one that is read, which have a type, too. */
export function detectForeignEvent(type: string, api: Api): DetectedFormat | undefined {
  const description = (of: string, profile: string): string =>
    `a stream of ${of}, not one of ${API_NAMES[api]} (check it with --profile ${profile})`
  if (api !== 'messages' && MESSAGES.test(type))
    return { format: 'messages', description: description('the Anthropic Messages API', 'messages') }
  if (api !== 'responses' && type.startsWith('response.'))
    return { format: 'responses', description: description(API_NAMES.responses, 'openai') }
  return undefined
}

const shorten = (text: string): string => shortened(text, 300)

/** The message in an error body of OpenAI, vLLM or FastAPI, or in a bare one. */
function errorMessage(value: { readonly [field: string]: unknown }): string | undefined {
  const { error, object, message, detail } = value
  if (typeof error === 'string') return shorten(error)
  if (isFields(error)) return shorten(asString(error['message']) || JSON.stringify(error))
  if (object === 'error') return shorten(asString(message))
  if (typeof detail === 'string') return shorten(detail)
  const details = asList(detail).map((one) => asString(asFields(one)['msg']))
  return details.length > 0 && details.every((one) => one !== '') ? shorten(details.join('; ')) : undefined
}

/** Describes a JSON value of an unknown format. */
export function unknownJson(value: unknown): DetectedFormat {
  if (!isFields(value)) return { format: 'json', description: `JSON that is not an event: ${describe(value)}` }
  const names = Object.keys(value).slice(0, 5).join(', ')
  return {
    format: 'json',
    description: `JSON that is not an event: an object ${names === '' ? 'without fields' : `with ${names}`}`,
  }
}

/** Recognizes binary data by its first bytes. */
export function detectBinary(bytes: Uint8Array): DetectedFormat | undefined {
  const starts = (...magic: number[]): boolean => magic.every((byte, at) => bytes[at] === byte)
  if (starts(0x1f, 0x8b)) return { format: 'gzip', description: 'gzip' }
  if (starts(0x28, 0xb5, 0x2f, 0xfd)) return { format: 'binary', description: 'zstd: unpack it first' }
  if (starts(0x50, 0x4b, 0x03, 0x04)) return { format: 'binary', description: 'a zip archive: unpack it first' }
  if (starts(0xfd, 0x37, 0x7a, 0x58, 0x5a)) return { format: 'binary', description: 'xz: unpack it first' }
  // The only control characters of text are tabs, line ends and escapes.
  const odd = bytes.subarray(0, 512).reduce((sum, byte) => sum + Number(byte < 7 || (byte > 13 && byte < 27)), 0)
  return odd > 4 ? { format: 'binary', description: 'binary data' } : undefined
}
