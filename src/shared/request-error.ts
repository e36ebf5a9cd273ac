import { shortened } from './shortened.js'

/** The body of a refusal, in OpenAI's shape. */
export interface RequestErrorBody {
  /**
   * What is wrong: a message for people, OpenAI's type and code, and the parameter's path; null where there is none.
   */
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string | null
  }
}

/**
 * The reason for a refusal, to branch on. Codes are OpenAI's where OpenAI has one. docs/troubleshooting.md describes
 * what to do about each.
 */
export type RequestErrorCode =
  | 'missing_required_parameter'
  | 'unknown_parameter'
  | 'unsupported_parameter'
  | 'unsupported_value'
  | 'mutually_exclusive_parameters'
  | 'invalid_type'
  | 'invalid_value'
  | 'empty_string'
  | 'empty_array'
  | 'integer_below_min_value'
  | 'integer_above_max_value'
  | 'decimal_below_min_value'
  | 'decimal_above_max_value'
  | 'string_above_max_length'
  | 'array_above_max_length'
  | 'object_above_max_properties'
  | 'property_name_above_max_length'
  | 'duplicate_item'
  | 'invalid_function_parameters'
  | 'invalid_json_schema'
  | 'invalid_encrypted_content'
  | 'invalid_json'
  | 'invalid_message'
  | 'request_too_large'
  | 'unsupported_content_encoding'
  | 'context_length_exceeded'
  | 'previous_response_not_found'
  | 'model_not_found'
  | 'unknown_url'
  | 'invalid_api_key'
  | 'host_not_allowed'
  | 'operator_key_required'
  | 'proxied_without_key'
  | 'origin_not_allowed'
  | 'rate_limit_exceeded'
  | 'server_is_overloaded'
  | 'idempotency_key_in_use'
  | 'idempotency_key_reused'
  | 'stream_not_resumable'
  | 'conversation_locked'
  | 'conversation_full'
  | 'websocket_connection_limit_reached'

/**
 * A client's mistake: a request that cannot be served as it is, to be answered with {@link status} and {@link body}.
 * The body's messages and codes follow OpenAI's, which clients may match. The error's own message also names the
 * parameter. Messages quote short values of the request, never text of the conversation.
 *
 * @example
 * ```ts
 * import { parseRequest, RequestError } from 'harmony-responses/request'
 *
 * function answer(body: unknown): Response {
 *   try {
 *     return Response.json(parseRequest(body))
 *   } catch (error) {
 *     if (!(error instanceof RequestError)) throw error
 *     return Response.json(error.body, { status: error.status })
 *   }
 * }
 * console.log(answer({ input: 7 }).status) // 400
 * ```
 */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  /** The message in OpenAI's words, without the parameter that stands beside it. */
  readonly #wording: string
  /** The HTTP status: 400 unless another fits better. */
  readonly status: number
  /** OpenAI's type of the error, which follows from the status: `invalid_request_error` for most. */
  readonly type: string
  /** The path in the request: `input[3].content[0].type`. Null if no single parameter is at fault. */
  readonly param: string | null
  /**
   * The code to branch on: `missing_required_parameter`, `invalid_type`, `invalid_value`, ... Null where OpenAI has
   * none.
   */
  readonly code: RequestErrorCode | null
  /** After which time the request may succeed, in milliseconds; undefined if that is not known, or never. */
  readonly retryAfterMs: number | undefined

  constructor(
    message: string,
    about: {
      readonly param?: string | null
      readonly code?: RequestErrorCode | null
      readonly status?: number
      readonly retryAfterMs?: number | undefined
    } = {},
  ) {
    const { param = null } = about
    // A log shows the message alone, and OpenAI's messages do not always name the parameter.
    super(param === null || message.includes(param) ? message : `${message} (param: ${param})`)
    this.#wording = message
    this.status = about.status ?? 400
    this.type = errorTypeOf(this.status)
    this.param = param
    this.code = about.code ?? null
    this.retryAfterMs = about.retryAfterMs
  }

  /** The body of the HTTP response. */
  get body(): RequestErrorBody {
    const { type, param, code } = this
    return { error: { message: this.#wording, type, param, code } }
  }
}

/** Returns the same error, with another path for its parameter. */
export function withParam(error: RequestError, param: string): RequestError {
  if (error.param === null || error.param === param) return error
  const message = error.body.error.message.replaceAll(error.param, () => param)
  return new RequestError(message, { param, code: error.code, status: error.status })
}

/** Returns the `type` of a body by its status, since other failures than mistakes in the request have another type. */
export const errorTypeOf = (status: number): string => TYPES.get(status) ?? 'invalid_request_error'

const TYPES: ReadonlyMap<number, string> = new Map([
  [403, 'permission_error'],
  [429, 'rate_limit_error'],
  [500, 'server_error'],
  [503, 'server_error'],
])

export function missingParameter(param: string): RequestError {
  return new RequestError(`Missing required parameter: '${param}'.`, { param, code: 'missing_required_parameter' })
}

export function unknownParameter(param: string): RequestError {
  return new RequestError(`Unknown parameter: '${param}'.`, { param, code: 'unknown_parameter' })
}

/** @param expected - `a string`, `one of a string or array of objects` */
export function invalidType(param: string, expected: string, got: unknown): RequestError {
  const message = `Invalid type for '${param}': expected ${expected}, but got ${kindOf(got)} instead.`
  return new RequestError(message, { param, code: 'invalid_type' })
}

/** @param supported - all values that are possible here; none if they cannot be listed */
export function invalidValue(param: string, got: unknown, supported: readonly string[] = []): RequestError {
  const value = typeof got === 'string' ? `'${shortened(got)}'` : kindOf(got)
  const list = supported.length === 0 ? '' : ` Supported values are: ${listOf(supported, 'and')}.`
  return new RequestError(`Invalid value: ${value}.${list}`, { param, code: 'invalid_value' })
}

/**
 * Returns the error for a number beyond its bound. @param is - whether it has to be an integer, or may be any number
 */
export function outOfRange(
  param: string,
  is: 'integer' | 'decimal',
  bound: { readonly min: number } | { readonly max: number },
  got: number,
): RequestError {
  const [side, limit] =
    'min' in bound ? (['below_min', `>= ${bound.min}`] as const) : (['above_max', `<= ${bound.max}`] as const)
  const message = invalid(param, `${is} ${side.replace('_', ' ')}imum value`, `a value ${limit}`, String(got))
  return new RequestError(message, { param, code: `${is}_${side}_value` })
}

export function emptyString(param: string): RequestError {
  const message = invalid(param, 'empty string', 'a string with minimum length 1', 'an empty string')
  return new RequestError(message, { param, code: 'empty_string' })
}

export function emptyArray(param: string): RequestError {
  const expected = 'Expected an array with minimum length 1, but got an empty array instead.'
  return new RequestError(`Invalid '${param}': empty array. ${expected}`, { param, code: 'empty_array' })
}

export function stringTooLong(param: string, max: number, length: number): RequestError {
  const [expected, got] = [`a string with maximum length ${max}`, `a string with length ${length}`]
  return new RequestError(invalid(param, 'string too long', expected, got), { param, code: 'string_above_max_length' })
}

export function arrayTooLong(param: string, max: number, length: number): RequestError {
  const [expected, got] = [`an array with maximum length ${max}`, `an array with length ${length}`]
  return new RequestError(invalid(param, 'array too long', expected, got), { param, code: 'array_above_max_length' })
}

/** Returns the error for an object with too many keys of the client's. */
export function tooManyProperties(param: string, max: number, count: number): RequestError {
  const [expected, got] = [`an object with at most ${max} properties`, `an object with ${count} properties`]
  const message = invalid(param, 'too many properties', expected, got)
  return new RequestError(message, { param, code: 'object_above_max_properties' })
}

/** @param object - the path of the object that has the property */
export function propertyNameTooLong(object: string, name: string, max: number): RequestError {
  const is = `Invalid property name in '${object}': '${name.slice(0, 3)}...${name.slice(-3)}' is too long.`
  const [expected, got] = [`a string with maximum length ${max}`, `a string with length ${name.length}`]
  const message = `${is} Expected ${expected}, but got ${got} instead.`
  return new RequestError(message, { param: object, code: 'property_name_above_max_length' })
}

/** @param pattern - a regular expression, without its slashes */
export function patternMismatch(param: string, pattern: string): RequestError {
  const expected = `a string that matches the pattern '${pattern}'`
  const message = `Invalid '${param}': string does not match pattern. Expected ${expected}.`
  return new RequestError(message, { param, code: 'invalid_value' })
}

/**
 * Returns the error for a parameter of OpenAI's API that this server lacks. @param hint - the alternative, as a
 * sentence
 */
export function unsupportedParameter(param: string, hint?: string): RequestError {
  const what = `Unsupported parameter: '${param}'`
  const message = hint === undefined ? `${what} is not supported with this model.` : `${what}. ${hint}`
  return new RequestError(message, { param, code: 'unsupported_parameter' })
}

export function mutuallyExclusive(params: readonly string[]): RequestError {
  const message = `Mutually exclusive parameters. Ensure you are only providing one of: ${listOf(params, 'or')}.`
  return new RequestError(message, { code: 'mutually_exclusive_parameters' })
}

/**
 * Returns the error for a feature of OpenAI's API that this server lacks.
 *
 * @param what - `image inputs are`
 * @param hint - the alternative, as a sentence
 */
export function unsupported(param: string, what: string, hint?: string): RequestError {
  const message = `Unsupported value: '${param}': ${what} not supported with this model.`
  return new RequestError(hint === undefined ? message : `${message} ${hint}`, {
    param,
    code: 'unsupported_value',
  })
}

/**
 * Returns the error for a conversation that exceeds the model's context. All sentences are OpenAI's: LiteLLM
 * recognises the first, LangChain the second, and the third is that of Responses.
 *
 * @param max - the context, in tokens
 */
export function contextLengthExceeded(max: number): RequestError {
  const message =
    `This model's maximum context length is ${max} tokens. Input tokens exceed the configured limit. ` +
    'Your input exceeds the context window of this model. Please adjust your input and try again.'
  return new RequestError(message, { param: 'input', code: 'context_length_exceeded' })
}

/** @param max - the maximum number of tokens that are counted */
export function tooManyToCount(max: number): RequestError {
  const message = `Your input has more than ${max} tokens. Tokens beyond that are not counted.`
  return new RequestError(message, { param: 'input', code: 'context_length_exceeded' })
}

/**
 * Returns the error for a schema that cannot be enforced.
 *
 * @param owner - `function 'f'`, `response_format 'answer'`
 * @param pointer - a JSON pointer to the part of the schema
 */
export function invalidSchema(param: string, owner: string, pointer: string, message: string): RequestError {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => `'${step.replaceAll('~1', '/').replaceAll('~0', '~')}'`)
  const context = steps.length === 1 ? `${steps[0]},` : steps.join(', ')
  const text = `Invalid schema for ${owner}: In context=(${context}), ${message}`
  const code = owner.startsWith('function') ? 'invalid_function_parameters' : 'invalid_json_schema'
  return new RequestError(text, { param, code })
}

/** @param id - of an item, or of a call */
export function duplicateItem(id: string, param: string): RequestError {
  const message = `Duplicate item found with id ${shortened(id)}. Remove duplicate items from your input and try again.`
  return new RequestError(message, { param, code: 'duplicate_item' })
}

function invalid(param: string, is: string, expected: string, got: string): string {
  return `Invalid '${param}': ${is}. Expected ${expected}, but got ${got} instead.`
}

/** Returns a JSON value's type in OpenAI's words. */
function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal number'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** Formats a list: `'a'`, `'a' and 'b'`, `'a', 'b', and 'c'`. */
export function listOf(values: readonly string[], word: 'and' | 'or'): string {
  const quoted = values.map((value) => `'${value}'`)
  const last = quoted.pop() ?? ''
  if (quoted.length === 0) return last
  return `${quoted.join(', ')}${quoted.length > 1 ? ',' : ''} ${word} ${last}`
}
