import { isLargeJson } from '../../../shared/json-pieces.js'
import { encodeJson } from '../encode-json.js'
import type { ErrorAnswer } from '../error-answer.js'

/** Encodes a frame of a lane: an event as JSON, with the `stream_id` of its request. */
export function frameOf(event: object, lane: string | undefined): string {
  return inLane(JSON.stringify(event), lane)
}

/** Does the same, and lets other work run while it encodes a large event. */
export function frameInPieces(event: object, lane: string | undefined): string | Promise<string> {
  // A delta is as large as the engine's step.
  if ('delta' in event || !isLargeJson(event)) return frameOf(event, lane)
  return encodeJson(event).then((text) => inLane(text, lane))
}

function inLane(text: string, lane: string | undefined): string {
  return lane === undefined ? text : `${text.slice(0, -1)},"stream_id":${JSON.stringify(lane)}}`
}

/** Returns the answer to a refused request. */
export function errorEvent({ status, body, headers }: ErrorAnswer): object {
  const { type, code, message, param } = body.error
  const hasHeaders = Object.keys(headers).length > 0
  // Open Responses requires a code, which errors over HTTP may lack.
  return { type: 'error', status, error: { type, code: code ?? type, message, param, ...(hasHeaders && { headers }) } }
}

/** Returns the answer to `response.steer`: the model takes no input while it writes. */
export function steerFailed(input: unknown, previousResponseId: string): object {
  return {
    type: 'response.steer.failed',
    sequence_number: 0,
    steer: { input, previous_response_id: previousResponseId },
    error: {
      type: 'invalid_request_error',
      code: 'steering_not_supported',
      message: 'This model does not support steering. Send the input with the next response.create.',
    },
  }
}
