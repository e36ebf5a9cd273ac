import type { Context } from 'hono'
import { terminalResponse } from '../respond/terminal.js'
import type { KeptResponse } from '../stores/store.js'
import { failedAnswer } from './error-answer.js'
import type { SentEvents } from './event-sender.js'
import { HeldEvents } from './held-events.js'
import { readerOf } from './reader.js'
import { sendJson } from './send-json.js'
import { type Env, type ServerContext, sendAnswer } from './server-context.js'
import type { LiveResponse } from './service/running/live-response.js'
import { ReportedError } from './service/running/reported-error.js'
import { STORE_FAILED } from './service/storage/store-failed.js'

/** The two forms of an answer in one API. */
export interface ResponseForms {
  readonly events: (events: SentEvents) => Response
  readonly whole: (response: KeptResponse) => object
}

/** Answers with a response: with its events or as a whole, as its request says. */
export async function answerResponse(
  context: Context<Env>,
  live: LiveResponse,
  server: ServerContext,
  { events, whole }: ResponseForms,
): Promise<Response> {
  if (live.request.stream) return answerStream(context, live, events)
  const response = await wholeResponse(live, context.req.raw.signal)
  if (response.status === 'failed' || response.status === 'cancelled') {
    return sendAnswer(context, failedAnswer(response, live))
  }
  return sendJson(context, whole(response), server)
}

/**
 * Answers with the events of a response, or with an error status if the engine refuses it before there is anything to
 * show.
 */
async function answerStream(
  context: Context<Env>,
  live: LiveResponse,
  answer: (events: SentEvents) => Response,
): Promise<Response> {
  const { events, calls, finished } = live
  if (calls === undefined) return answer(events)
  const held = new HeldEvents(events)
  const refused = await held.refused(calls, context.req.raw.signal)
  if (refused === undefined) return answer(held)
  const kept = await finished
  return sendAnswer(context, failedAnswer(kept?.response ?? refused, live))
}

/** Returns the finished response. A client that leaves is treated like one that leaves a stream. */
async function wholeResponse({ events, finished, shown }: LiveResponse, signal: AbortSignal): Promise<KeptResponse> {
  let last: KeptResponse | undefined
  const leave = (): void => void events.return(undefined).catch(() => {})
  signal.addEventListener('abort', leave)
  if (signal.aborted) leave()
  try {
    await readerOf(events).drainTo((batch) => {
      last = terminalResponse(batch)
    })
  } finally {
    signal.removeEventListener('abort', leave)
  }
  const kept = await finished
  signal.throwIfAborted()
  if (kept !== undefined) return shown?.(kept.response) ?? kept.response
  if (last === undefined) throw new ReportedError('the response could not be written')
  // If the store lacks only the record of the end, another process would not find the response.
  return last.status === 'failed' || last.status === 'cancelled'
    ? last
    : { ...last, status: 'failed', error: STORE_FAILED as KeptResponse['error'] }
}
