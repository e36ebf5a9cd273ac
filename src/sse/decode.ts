import { createParser } from 'eventsource-parser'
import { check, HarmonyResponsesError } from '../errors.js'
import type { ResponseStreamEvent } from '../responses/events.js'

export interface SseDecoderOptions {
  /**
   * Called with each event, in stream order, while `push` or `end` runs. That it has a string `type` is certain; the
   * rest of its shape is what the sender made it, and not checked here.
   */
  readonly onEvent: (event: ResponseStreamEvent) => void
}

/** Reads an SSE stream as it is pushed. Once `push` or `end` has thrown, the decoder is of no further use. */
export interface SseDecoder {
  /**
   * Takes the next piece of the stream, cut anywhere, also inside a UTF-8 character.
   *
   * @throws HarmonyResponsesError `bad_stream`: a frame's data is not JSON, or no object with a string `type`; or the
   *   chunk is neither bytes nor text
   */
  push(chunk: string | Uint8Array): void
  /**
   * Says that the stream is over. A last frame that lacks only its blank line is delivered: some servers close early.
   *
   * @throws HarmonyResponsesError `bad_stream`: the stream ended inside a frame's data
   */
  end(): void
  /** Whether `[DONE]` or `end` has been seen: whatever comes after is ignored. */
  readonly done: boolean
}

/** What can be read as a stream: a fetch body, chunks of bytes or text, or all of its text. */
export type SseSource =
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>
  | Iterable<Uint8Array | string>
  | string

/**
 * Creates the push decoder, for transports that call back. It reads what the standard calls an event stream: any line
 * ends, comments, a leading byte order mark. The type is taken from the data; the `event:` field is not looked at.
 *
 * @throws HarmonyResponsesError `bad_option`
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export function createSseDecoder(options: SseDecoderOptions): SseDecoder {
  const { onEvent } = Object(options) as SseDecoderOptions
  check(typeof onEvent === 'function', 'createSseDecoder.onEvent', 'a function', onEvent)
  // The mark is dropped in `read`, where text chunks pass too.
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
  const parser = createParser({ onEvent: ({ data }) => onFrame(data) })
  // Until the first character, the only one that may be a byte order mark.
  let atStart = true
  let done = false
  // How many frames have come, so that an error can name the one it means.
  let frames = 0

  function onFrame(data: string): void {
    // The parser finishes its chunk even after `[DONE]`.
    if (done) return
    frames += 1
    if (data === '[DONE]') done = true
    else onEvent(parseFrame(data, frames))
  }

  function read(text: string): void {
    if (done || text === '') return
    parser.feed(atStart && text.startsWith('\uFEFF') ? text.slice(1) : text)
    atStart = false
  }

  return {
    push(chunk) {
      // Not by class: bytes of another realm, such as a test runner's, are bytes all the same.
      const isChunk = typeof chunk === 'string' || ArrayBuffer.isView(chunk) || isBuffer(chunk)
      check(isChunk, 'decodeSse', 'chunks of bytes or text', chunk, 'bad_stream')
      read(typeof chunk === 'string' ? chunk : utf8.decode(chunk, { stream: true }))
    },
    end() {
      // One line end for the line that may be open, one for its frame.
      read(`${utf8.decode()}\n\n`)
      done = true
    },
    get done() {
      return done
    },
  }
}

/**
 * Yields the events of an SSE stream up to its end or `[DONE]`, then closes the source; leaving the loop early closes
 * it too. Each event is certain to have a string `type`; the rest of its shape is what the sender made it: the type of
 * the result is a promise that only the conformance kit can check.
 *
 * @throws HarmonyResponsesError `bad_stream`, after the events before it: a frame's data is not JSON, is no object with
 *   a string `type`, or was cut off by the end of the stream; from the call itself: the source cannot be read
 */
export function decodeSse(source: SseSource): AsyncGenerator<ResponseStreamEvent> {
  if (typeof source === 'string') return eventsOf([source])
  const { getReader, [Symbol.asyncIterator]: isAsync, [Symbol.iterator]: isSync } = Object(source)
  const isSource = (getReader ?? isAsync ?? isSync) !== undefined && !ArrayBuffer.isView(source)
  check(isSource, 'decodeSse', 'a ReadableStream, or an iterable of bytes or text', source, 'bad_stream')
  return eventsOf('getReader' in source ? chunksOf(source) : source)
}

async function* eventsOf(chunks: Exclude<SseSource, string>): AsyncGenerator<ResponseStreamEvent> {
  const ready: ResponseStreamEvent[] = []
  const decoder = createSseDecoder({ onEvent: (event) => ready.push(event) })

  // In `finally`, so that a bad frame does not swallow the good ones of its chunk: how bytes are cut must not show.
  function* readyAfter(step: () => void): Generator<ResponseStreamEvent> {
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

/** What `for await` over the stream would do, in the browsers whose ReadableStream is not iterable. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
  } finally {
    // Tells the sender to stop; without effect on a stream that has ended.
    await reader.cancel()
  }
}

function isBuffer(chunk: unknown): boolean {
  return Object.prototype.toString.call(chunk) === '[object ArrayBuffer]'
}

function parseFrame(data: string, frame: number): ResponseStreamEvent {
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

function hasType(value: unknown): value is ResponseStreamEvent {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

function shorten(data: string): string {
  return JSON.stringify(data.length > 80 ? `${data.slice(0, 80)}...` : data)
}
