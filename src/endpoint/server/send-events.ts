import { SSE_DONE, SSE_HEADERS, type SseEvent, type SseEvents } from '../../core/sse/index.js'
import { checkStream } from '../../shared/errors.js'
import { merged } from '../../shared/merged.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aBoolean, aFunction, anObject, aTimer, having } from '../../shared/options/checks.js'
import type { ByteHold } from '../flow/byte-budget.js'
import { createFrameEncoder, type Encode, framesOf, KEEP_ALIVE, UNCOUNTED_BYTES, writeFrames } from './frames.js'
import { idleInterval } from './idle-interval.js'
import { type Reader, readerOf } from './reader.js'
import { type NodeResponse, type StreamBody, streamBody } from './stream-body.js'

/** Options of `sendEvents`. */
export interface SendEventsOptions {
  /** Ends the stream with `data: [DONE]`. Default: false. */
  readonly done?: boolean
  /**
   * The interval of keep-alives, in milliseconds: a comment is sent after this much silence, at the latest after twice
   * as much. Default 15,000; 0 sends none.
   */
  readonly keepAliveMs?: number
  /** Extra headers, which override those of an event stream. */
  readonly headers?: Readonly<Record<string, string>>
  /** Encodes an event. Default: as server-sent events. */
  readonly encode?: (event: SseEvent) => string
}

const SEND_EVENTS_OPTIONS: OptionTable<SendEventsOptions> = {
  done: aBoolean,
  keepAliveMs: aTimer,
  headers: anObject,
  encode: aFunction,
}

/**
 * Sends events to the client of a Node server as fast as the client reads. It bypasses web streams. Resolves when all
 * are sent or the client has left.
 *
 * A client that leaves closes the events at once, and so stops the engine before its next step. The obvious
 * `Readable.fromWeb(body).pipe(response)` does not: the pipe ends, the stream is never cancelled, and the engine keeps
 * generating without a reader.
 *
 * @param out - a response of `node:http`, `node:http2` or Express; its headers may have been set, and are sent here
 * @throws the error of the events; HarmonyResponsesError `bad_option`, `bad_stream`
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { translate } from 'harmony-responses'
 * import { sendEvents } from 'harmony-responses/server/node'
 *
 * const server = createServer((_, response) => sendEvents(response, translate(tokens, { request })))
 * ```
 */
export async function sendEvents(out: NodeResponse, events: SseEvents, options: SendEventsOptions = {}): Promise<void> {
  checkStream('sendEvents', events)
  checkOptions('sendEvents', options, SEND_EVENTS_OPTIONS)
  having(['write', 'end', 'on'], 'the response of a Node server')(out, 'sendEvents: out')
  await sendCounted(out, events, options)
}

interface CountedOptions extends Omit<SendEventsOptions, 'encode'> {
  readonly encode?: Encode
}

/**
 * Does the same as {@link sendEvents}, with checked options.
 *
 * @param unread - counts unread bytes; a client that leaves more unread than there is room for is cut off
 * @param ping - returns the text to send after `keepAliveMs` of silence
 */
export async function sendCounted(
  out: NodeResponse,
  events: SseEvents | Reader<readonly SseEvent[]>,
  options: CountedOptions = {},
  unread?: ByteHold,
  ping: () => string = () => KEEP_ALIVE,
): Promise<void> {
  const { done = false, keepAliveMs = 15_000, headers = {} } = options
  const reader = readerOf<SseEvent | readonly SseEvent[]>(events)
  const encode = options.encode ?? createFrameEncoder()
  let body: StreamBody
  let isGone = false
  let isBehind = false
  let resume = (): void => {}
  let isSilent = true

  const leave = (): void => {
    isGone = true
    resume()
    // Not awaited: a generator answers after its pending step.
    reader.leave().catch(() => {})
  }
  out.on('close', leave)
  // A client that resets its connection is not an error of the server.
  out.on('error', leave)
  let timer: ReturnType<typeof setInterval> | undefined

  /** Writes, and waits if the client is behind, so that unread events are not generated. */
  function write(text: string): Promise<void> | undefined {
    isSilent = false
    if (body.write(text)) return undefined
    isBehind = true
    if (text.length > UNCOUNTED_BYTES && unread !== undefined && unread.take(text.length) !== 'taken') {
      out.destroy()
      leave()
      return undefined
    }
    return new Promise((resolve) => {
      resume = () => {
        isBehind = false
        unread?.give(unread.bytes)
        body.drains.off('drain', resume)
        resolve()
      }
      body.drains.once('drain', resume)
    })
  }
  function keepAlive(): void {
    if (!isGone && !isBehind && isSilent) write(ping())
    isSilent = true
  }

  try {
    // There will be no `close` event.
    if (isClosed(out)) return leave()
    for (const [name, value] of Object.entries(merged(SSE_HEADERS, headers))) out.setHeader(name, value)
    out.flushHeaders()
    body = streamBody(out)
    if (keepAliveMs !== 0) timer = idleInterval(keepAlive, keepAliveMs)
    const writer = { write, hasLeft: () => isGone }
    await reader.drainTo((value) => {
      if (isGone) return
      return writeFrames(Array.isArray(value) ? framesOf(value, encode) : encode(value as SseEvent), writer)
    })
    if (!isGone) {
      body.flush()
      out.end(done ? SSE_DONE : undefined)
    }
  } catch (error) {
    // Cut off rather than ended, so that a client does not take it for a complete stream.
    out.destroy()
    throw error
  } finally {
    clearInterval(timer)
    out.off('close', leave)
    out.off('error', leave)
    out.on('error', () => {})
    unread?.end()
    if (!isGone) await reader.leave()
  }
}

/** Whether the response is closed. HTTP/2 reports that only on its stream. */
function isClosed(out: NodeResponse): boolean {
  const { stream } = out as { readonly stream?: { readonly destroyed: boolean } }
  return out.destroyed || out.writableEnded || stream?.destroyed === true
}
