import { createParser } from 'eventsource-parser'
import { check, HarmonyResponsesError } from '../../shared/errors.js'
import { createLineFeeds } from '../../shared/line-feeds.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aFunction } from '../../shared/options/checks.js'
import { shortened } from '../../shared/shortened.js'
import type { ServedStreamEvent } from '../responses/events.js'

/** Options of `createSseDecoder`. */
export interface SseDecoderOptions {
  /**
   * Called with each event in stream order, while `push` or `end` runs. Every event has a string `type`. The rest of it
   * is not checked.
   */
  readonly onEvent: (event: ServedStreamEvent) => void
}

const SSE_DECODER_OPTIONS: OptionTable<SseDecoderOptions> = { onEvent: aFunction }

/** Reads an SSE stream that is pushed into it. Do not use it any more after `push` or `end` has thrown. */
export interface SseDecoder {
  /**
   * Takes the next piece of the stream. It may be cut anywhere, even inside a UTF-8 character.
   *
   * @throws HarmonyResponsesError `bad_stream` if the data of a frame is not JSON or not an object with a string
   *   `type`, or the chunk is neither bytes nor text
   */
  push(chunk: string | Uint8Array): void
  /**
   * Ends the stream. Delivers a last frame that lacks only its blank line, because some servers close too early.
   *
   * @throws HarmonyResponsesError `bad_stream` if the stream ended inside the data of a frame
   */
  end(): void
  /** Whether `[DONE]` arrived or `end` was called. Later input is ignored. */
  readonly done: boolean
}

/** A readable stream of SSE: the body of a fetch, chunks of bytes or text, or the complete text. */
export type SseSource =
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>
  | Iterable<Uint8Array | string>
  | string

/**
 * Creates a decoder for transports that call back. It reads any event stream of the standard: all line endings,
 * comments, a leading byte order mark. The type is the one in the data; the `event:` field is ignored.
 *
 * @throws HarmonyResponsesError `bad_option`
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 *
 * @example
 * ```ts
 * import { createSseDecoder } from 'harmony-responses/sse'
 *
 * const decoder = createSseDecoder({ onEvent: (event) => console.log(event.type) }) // response.created
 * decoder.push('event: response.created\ndata: {"type":"response.cre')
 * decoder.push('ated"}\n\n')
 * decoder.end()
 * ```
 */
export function createSseDecoder(options: SseDecoderOptions): SseDecoder {
  checkOptions('createSseDecoder', options, SSE_DECODER_OPTIONS, ['onEvent'])
  const { onEvent } = options
  // `read` drops the byte order mark, because it also receives chunks of text.
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
  const lineFeeds = createLineFeeds()
  const parser = createParser({ onEvent: ({ data }) => onFrame(data) })
  // Only the first character can be a byte order mark.
  let atStart = true
  let done = false
  // For error messages.
  let frames = 0

  function onFrame(data: string): void {
    // The parser runs to the end of its chunk even after `[DONE]`.
    if (done) return
    frames += 1
    if (data === '[DONE]') done = true
    else onEvent(parseFrame(data, frames))
  }

  function read(text: string): void {
    if (done || text === '') return
    parser.feed(lineFeeds(atStart && text.startsWith('\uFEFF') ? text.slice(1) : text))
    atStart = false
  }

  return {
    push(chunk) {
      // Not `instanceof`, which fails for bytes of another realm, such as a test runner's.
      const isChunk = typeof chunk === 'string' || ArrayBuffer.isView(chunk) || isBuffer(chunk)
      check(isChunk, 'decodeSse', 'chunks of bytes or text', chunk, 'bad_stream')
      read(typeof chunk === 'string' ? chunk : utf8.decode(chunk, { stream: true }))
    },
    end() {
      // The first line end closes an open line, the second closes its frame.
      read(`${utf8.decode()}\n\n`)
      done = true
    },
    get done() {
      return done
    },
  }
}

/**
 * Yields the events of an SSE stream up to its end or `[DONE]`, then closes the source. Leaving the loop early also
 * closes it. Every event has a string `type`. Its other fields are not checked, despite the TypeScript type: the
 * conformance kit does that.
 *
 * @throws HarmonyResponsesError `bad_stream`, after the preceding events, if the data of a frame is not JSON, is not an
 * object with a string `type`, or is cut off by the end of the stream; from the call itself, if the source cannot be
 * read
 *
 * @example
 * ```ts
 * import { decodeSse } from 'harmony-responses/sse'
 *
 * const source = ['data: {"type":"response.output_text.delta","delta":"Hi!"}\n\n', 'data: [DONE]\n\n']
 * for await (const event of decodeSse(source)) {
 *   if (event.type === 'response.output_text.delta') console.log(event.delta) // Hi!
 * }
 * ```
 */
export function decodeSse(source: SseSource): AsyncGenerator<ServedStreamEvent> {
  if (typeof source === 'string') return eventsOf([source])
  const { getReader, [Symbol.asyncIterator]: isAsync, [Symbol.iterator]: isSync } = Object(source)
  const isSource = (getReader ?? isAsync ?? isSync) !== undefined && !ArrayBuffer.isView(source)
  check(isSource, 'decodeSse', 'a ReadableStream, or an iterable of bytes or text', source, 'bad_stream')
  return eventsOf('getReader' in source ? chunksOf(source) : source)
}

async function* eventsOf(chunks: Exclude<SseSource, string>): AsyncGenerator<ServedStreamEvent> {
  const ready: ServedStreamEvent[] = []
  const decoder = createSseDecoder({ onEvent: (event) => ready.push(event) })

  // In `finally`: otherwise a bad frame would swallow the good ones before it in the same chunk.
  function* readyAfter(step: () => void): Generator<ServedStreamEvent> {
    try {
      step()
    } finally {
      yield* ready.splice(0)
    }
  }

  for await (const chunk of chunks) {
    yield* readyAfter(() => decoder.push(chunk))
    if (decoder.done) return
  }
  yield* readyAfter(() => decoder.end())
}

/** Iterates like `for await`, for browsers whose ReadableStream is not iterable. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
  } finally {
    // Tells the sender to stop; no effect after the end of the stream.
    await reader.cancel()
  }
}

function isBuffer(chunk: unknown): boolean {
  return Object.prototype.toString.call(chunk) === '[object ArrayBuffer]'
}

function parseFrame(data: string, frame: number): ServedStreamEvent {
  let event: unknown
  try {
    event = JSON.parse(data)
  } catch (cause) {
    throw new HarmonyResponsesError('bad_stream', `expected JSON in frame ${frame}, got ${shorten(data)}`, { cause })
  }
  if (hasType(event)) return event
  const expected = `expected an object with a string type in frame ${frame}`
  throw new HarmonyResponsesError('bad_stream', `${expected}, got ${shorten(data)}`)
}

function hasType(value: unknown): value is ServedStreamEvent {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

function shorten(data: string): string {
  return JSON.stringify(shortened(data, 80))
}
