import { parseJson } from '../../../shared/parse-json.js'
import {
  invalidType,
  invalidValue,
  missingParameter,
  patternMismatch,
  RequestError,
  type RequestErrorCode,
} from '../../../shared/request-error.js'
import type { Slices, Work } from '../../../shared/slices.js'
import { scanJson } from '../../request/json-scan.js'
import { type RequestLimits, resolveLimits } from '../../request/limits.js'
import type { BodyCount } from '../service/limits/body-count.js'

/** A parsed frame of the client. */
export type SocketMessage = (
  | { readonly type: 'create'; readonly body: { readonly [name: string]: unknown } }
  | { readonly type: 'steer'; readonly input: unknown; readonly previousResponseId: string }
  | { readonly type: 'refused'; readonly error: RequestError }
) & {
  /** The lane of the answer: the message's `stream_id`. */
  readonly lane: string | undefined
}

/**
 * @param data - text, or the bytes of a binary frame
 * @param size - the limits of a message: a text beyond them is refused before it is parsed
 * @param count - counts the message
 */
export function* readMessage(
  data: unknown,
  work: Work,
  size?: RequestLimits,
  count?: BodyCount,
): Slices<SocketMessage> {
  if (typeof data !== 'string')
    return refused('Binary messages are not supported. Send JSON as text.', 'invalid_message')
  let message: unknown
  try {
    count?.bytes(data.length)
    const values = yield* scanJson(data, resolveLimits(size), work)
    count?.values(values)
    message = yield* parseJson(data, work)
  } catch (error) {
    if (error instanceof RequestError) return { type: 'refused', error, lane: undefined }
    return refused('The message is not valid JSON.', 'invalid_json')
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    return { type: 'refused', error: invalidType('message', 'an object', message), lane: undefined }
  }
  return readFields(message as { readonly [name: string]: unknown })
}

function readFields(body: { readonly [name: string]: unknown }): SocketMessage {
  let lane: string | undefined
  try {
    lane = laneOf(own(body, 'stream_id'))
    const type = own(body, 'type')
    if (type === 'response.create') return { type: 'create', body: checkedCreate(body), lane }
    if (type === 'response.steer') return { ...steer(body), lane }
    if (type === undefined) throw missingParameter('type')
    throw invalidValue('type', type, ['response.create'])
  } catch (error) {
    if (error instanceof RequestError) return { type: 'refused', error, lane }
    throw error
  }
}

function checkedCreate<Body extends { readonly [name: string]: unknown }>(body: Body): Body {
  if (own(body, 'background') !== true) return body
  const message = "Unsupported parameter: 'background' is not supported over WebSocket."
  throw new RequestError(message, { param: 'background', code: 'unsupported_parameter' })
}

function steer(body: object): { type: 'steer'; input: unknown; previousResponseId: string } {
  const previousResponseId = own(body, 'previous_response_id')
  if (previousResponseId === undefined) throw missingParameter('previous_response_id')
  if (typeof previousResponseId !== 'string') throw invalidType('previous_response_id', 'a string', previousResponseId)
  return { type: 'steer', input: own(body, 'input') ?? null, previousResponseId }
}

/**
 * Returns the lane. The default one has no name. Placeholders of clients that cannot omit a parameter count as absent.
 */
function laneOf(streamId: unknown): string | undefined {
  if (streamId === undefined || streamId === null || streamId === '') return undefined
  if (typeof streamId !== 'string') throw invalidType('stream_id', 'a string', streamId)
  if (STREAM_ID.test(streamId)) return streamId
  throw patternMismatch('stream_id', STREAM_ID.source)
}

const STREAM_ID = /^[A-Za-z0-9_.-]{1,256}$/

function own(object: object, name: string): unknown {
  return Object.hasOwn(object, name) ? (object as { readonly [name: string]: unknown })[name] : undefined
}

function refused(message: string, code: RequestErrorCode): SocketMessage {
  return { type: 'refused', error: new RequestError(message, { code }), lane: undefined }
}
