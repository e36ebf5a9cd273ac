import { checkStream } from '../../shared/errors.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aBoolean, anything, that } from '../../shared/options/checks.js'
import { encodeSseData, SSE_DONE, type SseEvent } from './encode.js'
import { createSseEncoder } from './encoder.js'

/** Events, one at a time or in arrays, as `translate` and `translateBatches` yield them. */
export type SseEvents = AsyncIterable<Events> | Iterable<Events>

/** @inline */
type Events = SseEvent | readonly SseEvent[]

/** The chunks of a stream without `event:` lines: objects of any shape, one at a time or in arrays. */
export type SseData = AsyncIterable<Data> | Iterable<Data>

/** @inline */
type Data = object | readonly object[]

/** Options of `sseStream`. */
export interface SseStreamOptions {
  /** Ends the stream with `data: [DONE]`, as Open Responses asks; OpenAI does not. Default: false. */
  readonly done?: boolean
  /** Names each frame in an `event:` line. Clients of Chat Completions expect frames of data alone. Default: true. */
  readonly eventLines?: boolean
}

/** Options of `toSseResponse`. */
export interface SseResponseInit extends SseStreamOptions {
  /** The HTTP status. Default: 200. */
  readonly status?: number
  /** Extra headers, which override those of an event stream. */
  readonly headers?: ConstructorParameters<typeof Headers>[0]
}

const SSE_STREAM_OPTIONS: OptionTable<SseStreamOptions> = { done: aBoolean, eventLines: aBoolean }

/** Statuses whose answers have no body. */
const BODILESS: readonly number[] = [204, 205, 304]

function isStatus(value: unknown): boolean {
  const status = value as number
  return Number.isInteger(status) && status >= 200 && status <= 599 && !BODILESS.includes(status)
}

const SSE_RESPONSE_INIT: OptionTable<SseResponseInit> = {
  ...SSE_STREAM_OPTIONS,
  status: that(isStatus, 'an HTTP status of an answer with a body'),
  // The platform validates them.
  headers: anything,
}

/** The headers of an event stream. None concerns the connection: HTTP/2 forbids those. */
export const SSE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Without this, a proxy may cache the stream, or buffer it for compression.
  'cache-control': 'no-cache, no-transform',
  // Without this, nginx buffers the stream.
  'x-accel-buffering': 'no',
}

/**
 * Creates the `Response` that streams the events, in any runtime that has the web's class; see {@link sseStream}.
 *
 * @throws HarmonyResponsesError `bad_stream`, `bad_option`, from the call itself
 *
 * @example
 * ```ts
 * import { translate } from 'harmony-responses'
 * import { toSseResponse } from 'harmony-responses/sse'
 *
 * const response = toSseResponse(translate(tokens, { request }), { headers: { 'x-request-id': 'req_1' } })
 * console.log(response.headers.get('content-type')) // text/event-stream; charset=utf-8
 * ```
 */
export function toSseResponse(events: SseEvents, init?: SseResponseInit): Response
export function toSseResponse(events: SseData, init: SseResponseInit & { readonly eventLines: false }): Response
export function toSseResponse(events: SseEvents | SseData, init: SseResponseInit = {}): Response {
  checkStream('toSseResponse', events)
  checkOptions('toSseResponse', init, SSE_RESPONSE_INIT)
  const { status = 200 } = init
  const headers = new Headers(init.headers)
  for (const [name, value] of Object.entries(SSE_HEADERS)) {
    if (!headers.has(name)) headers.set(name, value)
  }
  return new Response(streamOf(events, init), { status, headers })
}

/**
 * Creates a stream of the events as UTF-8 bytes: one chunk per frame, or one per array if the events come in arrays,
 * which is cheaper. No two chunks share memory. The source is pulled only when the reader asks for a chunk, so it runs
 * at the reader's pace. The stream closes as soon as the source is exhausted (clients such as Codex wait for that) and
 * errors with whatever the source throws. Cancelling the stream closes the source at once.
 *
 * @throws HarmonyResponsesError `bad_stream`, `bad_option`, from the call itself
 *
 * @example
 * ```ts
 * import { translateBatches } from 'harmony-responses'
 * import { sseStream } from 'harmony-responses/sse'
 *
 * const body = sseStream(translateBatches(tokens, { request }))
 * for await (const frame of body) save(new TextDecoder().decode(frame))
 * ```
 */
export function sseStream(events: SseEvents, options?: SseStreamOptions): ReadableStream<Uint8Array>
export function sseStream(
  events: SseData,
  options: SseStreamOptions & { readonly eventLines: false },
): ReadableStream<Uint8Array>
export function sseStream(events: SseEvents | SseData, options: SseStreamOptions = {}): ReadableStream<Uint8Array> {
  checkStream('sseStream', events)
  checkOptions('sseStream', options, SSE_STREAM_OPTIONS)
  return streamOf(events, options)
}

function streamOf(events: SseEvents | SseData, options: SseStreamOptions): ReadableStream<Uint8Array> {
  const iterator: AsyncIterator<Data> | Iterator<Data> =
    Symbol.asyncIterator in events ? events[Symbol.asyncIterator]() : events[Symbol.iterator]()
  // With event lines, `encodeSse` checks that each value has a type.
  const encode = options.eventLines === false ? encodeSseData : (createSseEncoder() as (value: object) => string)
  const utf8 = new TextEncoder()
  let isCancelled = false

  function frames(events: Data): Uint8Array {
    try {
      return utf8.encode(isBatch(events) ? events.map(encode).join('') : encode(events))
    } catch (error) {
      // The event cannot be serialized. The stream errors, so the source is closed: it will not be read again.
      close(iterator).catch(() => {})
      throw error
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await iterator.next()
        if (isCancelled) return
        if (!done) return controller.enqueue(frames(value))
        if (options.done) controller.enqueue(utf8.encode(SSE_DONE))
        controller.close()
      },
      cancel() {
        isCancelled = true
        // Not awaited: a generator settles `return` only after the pending `next`, and by then the reader is gone.
        close(iterator).catch(() => {})
      },
    },
    { highWaterMark: 0 },
  )
}

/** Calls `return` synchronously, and turns its exception into a rejection. */
async function close(iterator: AsyncIterator<unknown> | Iterator<unknown>): Promise<void> {
  await iterator.return?.()
}

function isBatch(events: Data): events is readonly object[] {
  return Array.isArray(events)
}
