import type { Failure } from '../../core/completion/failure.js'
import { check } from '../../shared/errors.js'
import { failedRequest } from '../../shared/failed-request.js'
import type { RequestError } from '../../shared/request-error.js'
import type { MessageError, MessageErrorType } from './message.js'

/** The `type` of an error, by its HTTP status. */
const TYPES: ReadonlyMap<number, MessageErrorType> = new Map([
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [500, 'api_error'],
  [529, 'overloaded_error'],
])

/** Returns the status of this API for one of the Responses API. */
function messagesStatus(status: number): number {
  if (status === 503) return 529
  return TYPES.has(status) || status < 500 ? status : 500
}

/** Makes the SDK, whose tool runner has the server keep the conversation, send all of it instead. */
const WITHOUT_THREADS = { error_code: 'thread_unsupported_request', unsupported: ['thread'] } as const

/** A refusal in the form of this API. */
export interface MessagesErrorAnswer {
  /** The HTTP status. */
  readonly status: number
  /** The body, to be sent as JSON. */
  readonly body: MessageError
}

/**
 * Words an error of a request in the form of this API.
 *
 * @param requestId - the `request-id` of its answer
 *
 * @example
 * ```ts
 * import { fromMessagesRequest, toMessagesError } from 'harmony-responses/dialects'
 * import { RequestError } from 'harmony-responses/request'
 *
 * try {
 *   fromMessagesRequest({ messages: [] })
 * } catch (error) {
 *   if (!(error instanceof RequestError)) throw error
 *   const { status, body } = toMessagesError(error, 'req_1')
 *   console.log(status, body.error.type) // 400 invalid_request_error
 * }
 * ```
 */
export function toMessagesError(
  refusal: Pick<RequestError, 'status' | 'body'>,
  requestId?: string,
): MessagesErrorAnswer {
  const { status, body } = Object(refusal) as typeof refusal
  check(Object(body).error !== undefined, 'toMessagesError', 'an error with status and body', refusal)
  const { error } = body
  const theirs = messagesStatus(status)
  return {
    status: theirs,
    body: {
      type: 'error',
      error: {
        type: TYPES.get(theirs) ?? 'invalid_request_error',
        message: messageOf(error),
        ...(error.param === 'thread' && { details: WITHOUT_THREADS }),
      },
      ...(requestId !== undefined && { request_id: requestId }),
    },
  }
}

/** Words the failure of a response, which ends its stream. */
export function messagesFailure(failure: Failure): MessageError {
  return toMessagesError(failedRequest(failure)).body
}

/** Clients recognize an excessive prompt by these words, and compact their conversation. */
const TOO_LONG = 'prompt is too long (capability_rejected: prompt_too_long)'

/**
 * Claude Code takes an attachment out of its conversation at these words, and goes on; without them each later request
 * has it again, and is refused. By what an attachment is called in the refusal.
 */
const UNPROCESSED: readonly (readonly [string, string])[] = [
  ['image inputs are not supported', 'Could not process image. '],
  ['file inputs are not supported', 'Could not process PDF. '],
]

interface Worded {
  readonly code: string | null
  readonly message: string
  readonly param?: string | null
}

/** Adds the parameter to the message, since the API has no `param`. */
function messageOf({ code, message, param = null }: Worded): string {
  if (code === 'context_length_exceeded') return `${TOO_LONG}: ${message}`
  const named = param === null || message.includes(param) ? message : `${param}: ${message}`
  const [, opening = ''] =
    UNPROCESSED.find(([refused]) => code === 'unsupported_value' && message.includes(refused)) ?? []
  return `${opening}${named}`
}
