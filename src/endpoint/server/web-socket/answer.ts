import type { Batch } from '../../../core/responses/batch.js'
import type { ResponseStreamEvent } from '../../../core/responses/events.js'
import { terminalResponse } from '../../respond/terminal.js'
import { type ErrorAnswer, errorAnswer } from '../error-answer.js'
import { idleInterval } from '../idle-interval.js'
import { KeepAlives } from '../keep-alive-event.js'
import { readerOf } from '../reader.js'
import type { ServerContext } from '../server-context.js'
import type { Caller } from '../service/caller.js'
import type { LiveResponse } from '../service/running/live-response.js'
import { errorEvent, frameInPieces, frameOf } from './frames.js'
import type { Remembered } from './remembered.js'

/** A `response.create` of a lane. */
export interface CreateMessage {
  readonly body: { readonly [name: string]: unknown }
  readonly lane: string | undefined
  /** Its length in characters. */
  readonly size: number
}

export interface AnswerContext {
  readonly server: ServerContext
  /** Its signal aborts when the client has left. */
  readonly caller: Caller & { readonly signal: AbortSignal }
  readonly remembered: Remembered
  /** The running responses, with their lanes. */
  readonly running: Map<string, string | undefined>
  /** Checks that the caller may still send requests. @throws RequestError if not */
  readonly authorize: () => Promise<void>
  /** Sends a frame, and waits if the client is behind. */
  readonly send: (text: string) => Promise<void> | undefined
}

/** Answers a `response.create`: with the events of its response, the last of which is terminal, or with one error. */
export async function answerCreate(message: CreateMessage, context: AnswerContext): Promise<void> {
  const { server, caller, remembered, send } = context
  const { service } = server
  const { body, lane } = message
  const previous = typeof body['previous_response_id'] === 'string' ? body['previous_response_id'] : undefined
  let live: LiveResponse
  try {
    await context.authorize()
    live = await service.create(body, { ...caller, errorEvent: false, remembered: remembered.find })
  } catch (error) {
    if (caller.signal.aborted) return
    const answer = errorAnswer(error, service.report)
    if (previous !== undefined && isPermanent(answer)) remembered.forget(previous)
    await send(frameOf(errorEvent(answer), lane))
    return
  }
  const leave = (): void => void live.events.return(undefined).catch(() => {})
  caller.signal.addEventListener('abort', leave)
  context.running.set(live.responseId, lane)
  if (caller.signal.aborted) leave()
  try {
    await sendEvents(live, message, context)
  } catch (error) {
    // The response will get no terminal event, so this is the last one.
    if (!caller.signal.aborted) await send(frameOf(errorEvent(errorAnswer(error, service.report)), lane))
  } finally {
    context.running.delete(live.responseId)
    caller.signal.removeEventListener('abort', leave)
  }
}

/** Whether the same request would be refused again. The client then has to begin anew, as it would at OpenAI. */
function isPermanent({ status }: ErrorAnswer): boolean {
  return status < 500 && status !== 429
}

async function sendEvents(
  { events, finished, before, request }: LiveResponse,
  { lane, size }: CreateMessage,
  { server, caller, remembered, send }: AnswerContext,
): Promise<void> {
  const encode = server.dialect?.encoder() ?? ((event: ResponseStreamEvent): object => event)
  // Other dialects have no such event, and a socket has no comments: its pings have to do there.
  const silence = server.dialect === undefined ? server.keepAliveMs : 0
  const alive = eventKeepAlive(silence, send, (event) => frameOf(event, lane))
  async function framesOf(batch: Batch): Promise<string[]> {
    const frames: string[] = []
    for (const event of batch) {
      const frame = frameInPieces(encode(event), lane)
      frames.push(typeof frame === 'string' ? frame : await frame)
    }
    return frames
  }
  async function sendBatch(batch: Batch, frames: readonly string[]): Promise<void> {
    for (const [at, frame] of frames.entries()) await alive.send(batch[at] as ResponseStreamEvent, frame)
  }
  let last: Batch = []
  try {
    await readerOf(events).drainTo(async (batch) => {
      if (terminalResponse(batch) === undefined) await sendBatch(batch, await framesOf(batch))
      else last = batch
    })
    if (last.length === 0 || caller.signal.aborted) return
    alive.stop()
    // Sent when it is kept, since the client may continue it as soon as it has the last event, even on another lane.
    const kept = await finished
    const frames = await framesOf(last)
    const isKeptHere = kept !== undefined && request.store === false
    if (isKeptHere) remembered.add({ finished: kept, before }, size + (frames.at(-1)?.length ?? 0))
    await sendBatch(last, frames)
  } finally {
    alive.stop()
  }
}

/** The keep-alives of one response on a socket. */
interface EventKeepAlive {
  /** Sends the frame of an event, and waits if the client is behind. */
  send(event: ResponseStreamEvent, frame: string): Promise<void>
  stop(): void
}

/**
 * Sends an event after each silence.
 *
 * @param ms - the length of a silence; 0 sends none
 * @param send - sends a frame; returns a promise if the client is behind
 * @param encode - returns the frame of an event
 */
function eventKeepAlive(
  ms: number,
  send: (frame: string) => Promise<void> | undefined,
  encode: (event: object) => string,
): EventKeepAlive {
  const alive = new KeepAlives()
  let isSilent = true
  /** Whether the client still has to read an event, or the last keep-alive. */
  let isBehind = false

  async function sendFrame(frame: string): Promise<void> {
    isSilent = false
    const caughtUp = send(frame)
    if (caughtUp === undefined) return
    isBehind = true
    await caughtUp
    isBehind = false
  }
  function beat(): void {
    const event = alive.event()
    if (isSilent && !isBehind && event !== undefined) void sendFrame(encode(event))
    isSilent = true
  }
  const timer = ms === 0 ? undefined : idleInterval(beat, ms)
  return {
    async send(event, frame) {
      alive.note(event)
      await sendFrame(frame)
    },
    stop: () => clearInterval(timer),
  }
}
