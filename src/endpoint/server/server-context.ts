import type { Context } from 'hono'
import type { UnknownOptions } from '../../dialects/body/draft.js'
import { type Dialect, toMessagesError } from '../../dialects/index.js'
import { RequestError } from '../../shared/request-error.js'
import type { ByteHold } from '../flow/byte-budget.js'
import type { KeptResponse } from '../stores/store.js'
import { type ErrorAnswer, errorAnswer } from './error-answer.js'
import type { HostedTurns } from './hosted-turns.js'
import type { Identify } from './identify.js'
import type { RequestObservation } from './observe/observe-request.js'
import type { ResponsesAppOptions } from './options.js'
import type { ReadJson } from './read-json.js'
import type { Caller } from './service/caller.js'
import type { ResponseService } from './service/response-service.js'

/** The variables that Hono passes between handlers. @inline */
export interface Env {
  readonly Variables: {
    owner: string
    headers: Record<string, string>
    requestId: string
    /** @internal */
    observed: RequestObservation | undefined
    /** The memory that its body holds. @internal */
    held: ByteHold
  }
}

/** Shared by the routes. */
export interface ServerContext {
  readonly service: ResponseService
  readonly readJson: ReadJson
  readonly options: ResponsesAppOptions
  /** Returns the owner of a request. */
  readonly identify: Identify
  /** Undefined for OpenAI's own wording. */
  readonly dialect: Dialect | undefined
  /**
   * The interval of keep-alives: a comment or a ping is sent after this much silence, at the latest after twice as
   * much; 0 sends none.
   */
  readonly keepAliveMs: number
  readonly hostedTurns: HostedTurns
  /** What becomes of the unknown parts of bodies in other APIs' forms. */
  readonly unknownOptions: UnknownOptions
}

/** Returns the caller of a request, from its headers. */
export function callerOf(context: Context<Env>): Caller {
  const { req } = context
  const idempotencyKey = req.header('idempotency-key')
  if (idempotencyKey !== undefined && !/^.{1,255}$/.test(idempotencyKey)) throw badKey()
  const observed = context.get('observed')
  const trace = traceOf(req.header('traceparent'), req.header('tracestate'))
  return {
    owner: context.get('owner'),
    signal: req.raw.signal,
    awaitsStatus: true,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(trace && { trace }),
    ...(observed && { observed }),
    held: context.get('held'),
  }
}

function badKey(): RequestError {
  const message = "Invalid 'Idempotency-Key': expected a header of 1 to 255 characters."
  return new RequestError(message, { param: 'Idempotency-Key', code: 'invalid_value' })
}

/** Returns the W3C trace context if it is valid: an engine is sent nothing else. */
export function traceOf(traceparent: string | undefined, tracestate: string | undefined): Caller['trace'] {
  if (!/^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/.test(traceparent ?? '')) return undefined
  const isState = tracestate !== undefined && tracestate.length <= 512 && /^[\x20-\x7e]+$/.test(tracestate)
  return { traceparent: traceparent as string, ...(isState && { tracestate }) }
}

/** Returns a response in the server's dialect. */
export function responseBody(response: KeptResponse, { dialect }: ServerContext): object {
  return dialect === undefined ? response : dialect.encodeResponse(response)
}

export function sendError(context: Context<Env>, error: unknown, report: (error: unknown) => void): Response {
  return sendAnswer(context, errorAnswer(error, report))
}

export function sendAnswer(context: Context<Env>, { status, body, headers }: ErrorAnswer): Response {
  const observed = context.get('observed')
  if (observed !== undefined) observed.error = body.error
  if (!speaksMessages(context)) return context.json(body, status as 400, headers)
  const answer = toMessagesError({ status, body }, context.get('requestId'))
  return context.json(answer.body, answer.status as 400, { ...headers, 'request-id': context.get('requestId') })
}

/** Whether a client speaks the Messages API: all of its clients send a version. */
export function speaksMessages({ req }: Context): boolean {
  return req.header('anthropic-version') !== undefined || /\/messages(?:\/count_tokens)?$/.test(req.path)
}
