import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'
import { SSE_HEADERS } from '../../core/sse/index.js'
import { merged } from '../../shared/merged.js'
import type { ByteHold } from '../flow/byte-budget.js'
import { type EventStreamOptions, eventStream } from './event-stream.js'
import type { SseBatch } from './frames.js'
import { nodeBindings } from './node-bindings.js'
import { observeStream } from './observe/observe-routes.js'
import { type Reader, readerOf } from './reader.js'
import { sendCounted } from './send-events.js'

export interface AnswerEventsOptions
  extends Pick<EventStreamOptions, 'encode' | 'done' | 'keepAliveMs' | 'keepAlive' | 'report'> {
  readonly headers: Readonly<Record<string, string>>
  /** Counts unread bytes of the client. */
  readonly unread: ByteHold
}

/** A stream that nothing has read, or one whose reader waits for a sink. */
export type SseStream = AsyncGenerator<SseBatch> | Reader<SseBatch>

/** Streams events as the answer. On Node it bypasses web streams, which halves the cost; elsewhere it uses one. */
export function answerEvents(
  context: Context,
  events: SseStream,
  { report, unread, keepAlive, ...options }: AnswerEventsOptions,
): Response {
  const headers = merged(SSE_HEADERS, options.headers)
  const onEnd = observeStream(context)
  if (context.req.method === 'HEAD') {
    readerOf(events).leave().catch(report)
    onEnd(false)
    return new Response(null, { headers })
  }
  const { outgoing } = nodeBindings(context)
  if (outgoing !== undefined) {
    sendCounted(outgoing, events, options, unread, keepAlive)
      .catch(report)
      .finally(() => onEnd(!outgoing.writableEnded))
    return RESPONSE_ALREADY_SENT
  }
  const { signal } = context.req.raw
  return new Response(
    eventStream(events, merged(options, { ...(keepAlive && { keepAlive }), signal, report, onEnd, unread })),
    { headers },
  )
}
