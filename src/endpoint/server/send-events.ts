import { SSE_DONE, SSE_HEADERS, type SseEvent, type SseEvents } from '../../core/sse/index.js'
import { checkStream } from '../../shared/errors.js'
import { merged } from '../../shared/merged.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aBoolean, aFunction, anObject, aTimer, having } from '../../shared/options/checks.js'
import { type Client, EventSender, type SenderOptions, type SentEvents } from './event-sender.js'
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

/** Does the same as {@link sendEvents}, with checked options. */
export async function sendCounted(
  out: NodeResponse,
  events: SentEvents,
  { done = false, headers = {}, ...options }: Omit<SendEventsOptions, 'encode'> & SenderOptions = {},
): Promise<void> {
  let body: StreamBody | undefined
  const client: Client = {
    write(text) {
      if (body === undefined || body.write(text)) return 0
      body.drains.once('drain', caughtUp)
      return text.length
    },
    cutOff() {
      out.destroy()
      leave()
    },
  }
  const sender = new EventSender(events, client, options)
  const { caughtUp, leave } = sender
  out.on('close', leave)
  // A client that resets its connection is not an error of the server.
  out.on('error', leave)
  try {
    // There will be no `close` event.
    if (isClosed(out)) return leave()
    for (const [name, value] of Object.entries(merged(SSE_HEADERS, headers))) out.setHeader(name, value)
    out.flushHeaders()
    body = streamBody(out)
    await sender.send()
    if (!sender.hasLeft) {
      body.flush()
      out.end(done ? SSE_DONE : undefined)
    }
  } catch (error) {
    // Cut off rather than ended, so that a client does not take it for a complete stream.
    out.destroy()
    throw error
  } finally {
    out.off('close', leave)
    out.off('error', leave)
    out.on('error', () => {})
    body?.drains.off('drain', caughtUp)
    if (!sender.hasLeft) await sender.close()
  }
}

/** Whether the response is closed. HTTP/2 reports that only on its stream. */
function isClosed(out: NodeResponse): boolean {
  const { stream } = out as { readonly stream?: { readonly destroyed: boolean } }
  return out.destroyed || out.writableEnded || stream?.destroyed === true
}
