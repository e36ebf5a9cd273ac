/**
 * What an engine refused or failed at, as the Responses API says it: `translate` puts `code` and `message` into the
 * stream's `error` and `response.failed` as they are.
 *
 * - `context_length_exceeded`: the prompt does not fit the engine's context.
 * - `invalid_prompt`: the engine does not take the request.
 * - `rate_limit_exceeded`: it has no room for one more.
 * - `server_error`: it is not there, is not ready, broke off, or answered what nobody understands.
 */
export type EngineErrorCode = 'context_length_exceeded' | 'invalid_prompt' | 'rate_limit_exceeded' | 'server_error'

/** An engine's failure. The message holds the engine's own words where it had some. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly code: EngineErrorCode
  /** The HTTP status, where a server answered. */
  readonly status: number | undefined

  constructor(code: EngineErrorCode, message: string, options: ErrorOptions & { readonly status?: number } = {}) {
    super(message, options)
    this.code = code
    this.status = options.status
  }
}
