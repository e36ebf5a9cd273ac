/**
 * Why an engine refused or failed, as a code of the Responses API. `translate` copies `code` into the stream's `error`
 * and `response.failed`, and `message` too, except that of a `server_error`: it is for the host's `onError` alone,
 * because it may name addresses and files.
 *
 * - `context_length_exceeded`: the prompt does not fit the engine's context.
 * - `invalid_prompt`: the engine rejects the request.
 * - `rate_limit_exceeded`: the engine has no capacity for another request.
 * - `server_error`: the engine is unreachable or not ready, the connection broke, or its answer is invalid.
 */
export type EngineErrorCode = 'context_length_exceeded' | 'invalid_prompt' | 'rate_limit_exceeded' | 'server_error'

/** An engine's failure. The message contains the engine's own, if there is one. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly code: EngineErrorCode
  /** The HTTP status, if a server answered. */
  readonly status: number | undefined
  /**
   * Whether the engine takes no calls now: its server cannot be reached, is starting, or runs another model. An endpoint
   * answers such a request with 503, since the same request may succeed later.
   */
  readonly isUnavailable: boolean
  /** Why it is unavailable, in words that clients may read: no address, no file. Undefined if the message is all. */
  readonly reason: string | undefined

  constructor(code: EngineErrorCode, message: string, options: EngineErrorOptions = {}) {
    super(message, options)
    this.code = code
    this.status = options.status
    this.isUnavailable = options.isUnavailable ?? false
    this.reason = options.reason
  }
}

export interface EngineErrorOptions extends ErrorOptions {
  readonly status?: number
  readonly isUnavailable?: boolean
  readonly reason?: string
}
