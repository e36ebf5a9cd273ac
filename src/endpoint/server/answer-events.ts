import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'
import type { ResponseStreamEvent } from '../../core/responses/events.js'
import { encodeSse, SSE_HEADERS, type SseEvent } from '../../core/sse/index.js'
import { merged } from '../../shared/merged.js'
import type { SenderOptions, SentEvents } from './event-sender.js'
import { eventStream } from './event-stream.js'
import { createFrameEncoder, KEEP_ALIVE } from './frames.js'
import { KeepAlives } from './keep-alive-event.js'
import { nodeBindings } from './node-bindings.js'
import { observeStream } from './observe/observe-routes.js'
import { readerOf } from './reader.js'
import { sendCounted } from './send-events.js'
import type { Env, ServerContext } from './server-context.js'

/** How an API writes the events of its answers. */
export interface AnswerForm extends Pick<SenderOptions, 'encode' | 'keepAlive' | 'keepAliveMs'> {
  /** Whether `data: [DONE]` ends them. */
  readonly done: boolean
  readonly headers?: Readonly<Record<string, string>>
}

/** Streams events as the answer. On Node it bypasses web streams, which halves the cost; elsewhere it uses one. */
export function answerEvents(
  context: Context<Env>,
  events: SentEvents,
  { service, keepAliveMs }: ServerContext,
  form: AnswerForm,
): Response {
  const { report } = service
  const headers = merged(SSE_HEADERS, merged(form.headers ?? {}, context.get('headers')))
  const unread = service.holdBytes(context.get('owner'), 'reader')
  const options = merged(merged({ keepAliveMs }, form), { headers, unread })
  const onEnd = observeStream(context)
  if (context.req.method === 'HEAD') {
    readerOf(events).leave().catch(report)
    onEnd(false)
    return new Response(null, { headers })
  }
  const { outgoing } = nodeBindings(context)
  if (outgoing !== undefined) {
    sendCounted(outgoing, events, options)
      .catch(report)
      .finally(() => onEnd(!outgoing.writableEnded))
    return RESPONSE_ALREADY_SENT
  }
  const { signal } = context.req.raw
  return new Response(eventStream(events, merged(options, { signal, report, onEnd })), { headers })
}

/** Answers with the events of a response in the server's dialect. */
export function answerInDialect(context: Context<Env>, events: SentEvents, server: ServerContext): Response {
  const { done = false } = server.options
  const map = server.dialect?.encoder()
  const write = createFrameEncoder()
  if (map !== undefined) {
    const encode = (event: SseEvent) => write(map(event as ResponseStreamEvent))
    return answerEvents(context, events, server, { done, encode })
  }
  const alive = new KeepAlives()
  return answerEvents(context, events, server, {
    done,
    encode(event) {
      alive.note(event as ResponseStreamEvent)
      return write(event)
    },
    keepAlive() {
      const event = alive.event()
      return event === undefined ? KEEP_ALIVE : encodeSse(event)
    },
  })
}
