import type { RequestErrorCode } from '../../../shared/request-error.js'

/** Why requests fail, by the codes of their errors. An error's own message may quote the request. */
const WHY: Readonly<Record<RequestErrorCode, string>> = {
  missing_required_parameter: 'A parameter is missing.',
  unknown_parameter: 'The API has no parameter of this name.',
  unsupported_parameter: 'A parameter is not supported.',
  unsupported_value: 'A value is not supported.',
  mutually_exclusive_parameters: 'Two parameters exclude each other.',
  invalid_type: 'A parameter has the wrong type.',
  invalid_value: 'A parameter has an invalid value.',
  empty_string: 'A parameter is an empty string.',
  empty_array: 'A parameter is an empty array.',
  integer_below_min_value: 'A number is too small.',
  integer_above_max_value: 'A number is too large.',
  decimal_below_min_value: 'A number is too small.',
  decimal_above_max_value: 'A number is too large.',
  string_above_max_length: 'A string is too long.',
  array_above_max_length: 'An array is too long.',
  object_above_max_properties: 'An object has too many properties.',
  property_name_above_max_length: 'The name of a property is too long.',
  duplicate_item: 'An item comes twice.',
  invalid_function_parameters: 'The parameters of a function are no valid schema.',
  invalid_json_schema: 'A JSON Schema is invalid.',
  invalid_encrypted_content: 'Sealed content does not open with the keys of this server.',
  invalid_json: 'The body is not JSON.',
  invalid_message: 'A message of a WebSocket is invalid.',
  request_too_large: 'The request is larger than the limit.',
  unsupported_content_encoding: 'The body is compressed in an unknown way.',
  context_length_exceeded: 'The prompt is longer than the context of the model.',
  previous_response_not_found: 'The response that it continues is not stored.',
  model_not_found: 'The server does not serve this model.',
  unknown_url: 'There is no such route.',
  invalid_api_key: 'The server does not know its key.',
  host_not_allowed: 'The server does not answer for the host in its address.',
  operator_key_required: "Only the operator's key opens this.",
  proxied_without_key: 'A proxy forwarded it, and the server has no key.',
  origin_not_allowed: 'Pages of this origin may not send requests.',
  rate_limit_exceeded: 'There was no place or no memory for it.',
  server_is_overloaded: 'The server or its engine could not take it now.',
  idempotency_key_in_use: 'The response to its Idempotency-Key is not available.',
  idempotency_key_reused: 'Its Idempotency-Key belongs to another request.',
  stream_not_resumable: 'Another version of this server wrote the events.',
  conversation_locked: 'Another response is open in the conversation.',
  conversation_full: 'The conversation is larger than the limit.',
  websocket_connection_limit_reached: 'The WebSocket has been open for as long as it may.',
}

/** A code of ours, or of an engine: no words of a request. */
const CODE = /^[a-z][a-z0-9_]{0,63}$/

/** Returns the code of an error, or null if there is none: one that is no code is `other`. */
export function codeOf(code: string | null): string | null {
  return code === null || CODE.test(code) ? code : 'other'
}

/** Returns why a request or a response failed; null if it did not. */
export function whyOf(code: string | null, status: number | null): string | null {
  if (code !== null && Object.hasOwn(WHY, code)) return WHY[code as RequestErrorCode]
  if (code === null && (status === null || status < 400)) return null
  if (status === 404) return 'There is nothing of this name for its owner.'
  return status !== null && status < 500 ? 'The request is at fault.' : 'The engine or the server failed.'
}
