/**
 * Why an engine refused or failed, as a code of the Responses API. `translate` copies `code` into the stream's `error`
 * and `response.failed`, and `message` too, except for a `server_error`: its message may name addresses and files, so
 * only the host's `onError` receives it.
 *
 * - `context_length_exceeded`: the prompt does not fit the engine's context.
 * - `invalid_prompt`: the engine rejects the request.
 * - `rate_limit_exceeded`: the engine has no capacity for another request.
 * - `server_error`: the engine is unreachable or not ready, the connection broke, or its answer is invalid.
 */
export type EngineErrorCode = 'context_length_exceeded' | 'invalid_prompt' | 'rate_limit_exceeded' | 'server_error'

/**
 * An engine's failure. The message includes the engine's own, if any.
 *
 * @example
 * ```ts
 * import { EngineError, type TokenEngine, tokenStream } from 'harmony-responses/engine'
 *
 * const engine: TokenEngine = {
 *   generate: () =>
 *     tokenStream(async function* () {
 *       yield ids
 *       throw new EngineError('rate_limit_exceeded', 'busy', { retryAfterMs: 1000 })
 *     }),
 *   health: async () => {
 *     throw new EngineError('server_error', 'starting', { isUnavailable: true })
 *   },
 * }
 * ```
 */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  /** The kind of failure, which clients of the API receive. */
  readonly code: EngineErrorCode
  /** The HTTP status, if a server answered. */
  readonly status: number | undefined
  /**
   * Whether the engine accepts no calls now: its server is unreachable, starting, or running another model. An endpoint
   * answers such a request with 503, since it may succeed later.
   */
  readonly isUnavailable: boolean
  /**
   * Why it is unavailable, in words that clients may read: without addresses or files. Undefined if the message says
   * all.
   */
  readonly reason: string | undefined
  /** How long the engine asks to wait before another call, in milliseconds. An endpoint sends it as `Retry-After`. */
  readonly retryAfterMs: number | undefined

  constructor(code: EngineErrorCode, message: string, options: EngineErrorOptions = {}) {
    super(message, options)
    this.code = code
    this.status = options.status
    this.isUnavailable = options.isUnavailable ?? false
    this.reason = options.reason
    this.retryAfterMs = options.retryAfterMs
  }
}

/** Details of an {@link EngineError}, besides its `cause`. */
export interface EngineErrorOptions extends ErrorOptions {
  /** The HTTP status, if a server answered. */
  readonly status?: number
  /** Whether the engine accepts no calls now, so that the request may succeed later. Default: false. */
  readonly isUnavailable?: boolean
  /** Why it is unavailable, in words that clients may read: without addresses or files. */
  readonly reason?: string
  /** How long to wait before another call, in milliseconds. */
  readonly retryAfterMs?: number | undefined
}
