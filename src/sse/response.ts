import { check, checkStream } from '../errors.js'
import { SSE_DONE, type SseEvent } from './encode.js'
import { createSseEncoder } from './encoder.js'

/** Events, one at a time or some at a time, as `translate` and `translateBatches` give them. */
export type SseEvents = AsyncIterable<Events> | Iterable<Events>

type Events = SseEvent | readonly SseEvent[]

export interface SseStreamOptions {
  /** Ends the stream with `data: [DONE]`, as Open Responses asks; OpenAI does not. Default: false. */
  readonly done?: boolean
}

export interface SseResponseInit extends SseStreamOptions {
  /** The HTTP status. Default: 200. */
  readonly status?: number
  /** Added to the headers of an event stream; where both name one, these win. */
  readonly headers?: ConstructorParameters<typeof Headers>[0]
}

const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  connection: 'keep-alive',
  // No proxy may store the stream, or hold it back in order to compress it,
  'cache-control': 'no-cache, no-transform',
  // nor nginx collect it.
  'x-accel-buffering': 'no',
}

/**
 * Answers an HTTP request with the events, in any runtime that has the web's `Response`; see {@link sseStream}.
 *
 * @throws HarmonyResponsesError at once: `bad_stream`, `bad_option`
 */
export function toSseResponse(events: SseEvents, init: SseResponseInit = {}): Response {
  checkStream('toSseResponse', events)
  checkOptions('toSseResponse', init)
  const { status = 200 } = init
  const hasBody = Number.isInteger(status) && status >= 200 && status <= 599 && !BODILESS.includes(status)
  check(hasBody, 'toSseResponse.status', 'an HTTP status of an answer with a body', status)
  const headers = new Headers(init.headers)
  for (const [name, value] of Object.entries(SSE_HEADERS)) {
    if (!headers.has(name)) headers.set(name, value)
  }
  return new Response(sseStream(events, init), { status, headers })
}

/**
 * The events as UTF-8 bytes, one chunk per frame; where the events come as arrays, one chunk per array, which costs
 * less. Each chunk has memory of its own. An event is asked for when its frame is read and not before, so the reader's
 * pace is the source's, one event at a time. The stream closes as soon as the source is exhausted (clients such as
 * Codex wait for that) and errors with what the source throws. Cancelling it closes the source at once.
 *
 * @throws HarmonyResponsesError at once: `bad_stream`, `bad_option`
 */
export function sseStream(events: SseEvents, options: SseStreamOptions = {}): ReadableStream<Uint8Array> {
  checkStream('sseStream', events)
  checkOptions('sseStream', options)
  const iterator: AsyncIterator<Events> | Iterator<Events> =
    Symbol.asyncIterator in events ? events[Symbol.asyncIterator]() : events[Symbol.iterator]()
  const encode = createSseEncoder()
  const utf8 = new TextEncoder()
  let isCancelled = false

  function frames(events: Events): Uint8Array {
    try {
      return utf8.encode(isBatch(events) ? events.map(encode).join('') : encode(events))
    } catch (error) {
      // An event that is no JSON: nobody reads on, so the source need not go on either.
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
        // Not awaited: a generator answers only when the `next` under way is over, and by then nobody listens.
        close(iterator).catch(() => {})
      },
    },
    { highWaterMark: 0 },
  )
}

/** The statuses whose answers have no body. */
const BODILESS: readonly number[] = [204, 205, 304]

function checkOptions(what: string, options: SseStreamOptions): void {
  check(typeof options === 'object' && options !== null, `${what}: options`, 'an object', options)
  const { done } = options
  check(done === undefined || typeof done === 'boolean', `${what}.done`, 'true or false', done)
}

/** Calls `return` before the first `await`, and makes a promise of whatever comes of it. */
async function close(iterator: AsyncIterator<unknown> | Iterator<unknown>): Promise<void> {
  await iterator.return?.()
}

function isBatch(events: Events): events is readonly SseEvent[] {
  return Array.isArray(events)
}
