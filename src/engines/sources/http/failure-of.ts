import * as z from 'zod'
import { jsonOf } from '../../../shared/json-of.js'
import { EngineError, type EngineErrorCode, type EngineErrorOptions } from '../../contract/engine-error.js'

/** A failure that a retry may fix, because nothing is wrong with the call itself. */
export class TransientError extends EngineError {
  /** How often it may be retried, if that is less than what the host allows. */
  readonly retries: number | undefined

  constructor(
    code: EngineErrorCode,
    message: string,
    options: EngineErrorOptions & { readonly retries?: number } = {},
  ) {
    super(code, message, options)
    this.retries = options.retries
  }
}

/** Overload, or an unavailable proxy or server. */
const TRANSIENT = [429, 502, 503, 504]
/**
 * Engines' messages for a prompt that is too long; few have a code for it. vLLM's of a prompt that fills the context is
 * `max_tokens must be at least 1, got 0`: the room that it leaves. No call asks for 0.
 */
const TOO_LONG =
  /exceed_context_size|context (?:length|size|window)|maximum (?:model|allowed|input|prompt)[^.]*length|longer than the (?:maximum|model)|max_tokens must be at least 1, got 0|too long/i
/**
 * llama-server's message for calls that together exceed the context that its slots share: it ends all of them, and none
 * is too long by itself.
 */
const SHARED_CONTEXT_FULL = /^Context size has been exceeded/
const TOO_MANY = /queue is full|too many requests|overloaded/i
/** Statuses for invalid request content. Other 4xx statuses concern keys, paths and timeouts, which the host set up. */
const REFUSED = [400, 413, 422]

const errorDetails = z.object({
  message: z.string(),
  type: z.string().nullish().catch(undefined),
  code: z.union([z.string(), z.number()]).nullish().catch(undefined),
})
const justText = z.string().transform((message): z.infer<typeof errorDetails> => ({ message }))

/** Error bodies of servers: `{error: {message, type, code}}`, the same without `error`, or FastAPI's `detail`. */
const errorBody = z.union([
  z.object({ error: z.union([errorDetails, justText]) }).transform(({ error }) => error),
  errorDetails,
  z
    .object({
      detail: z.union([justText, z.array(z.unknown()).transform((list) => ({ message: JSON.stringify(list) }))]),
    })
    .transform(({ detail }): z.infer<typeof errorDetails> => detail),
])

/** Details of a refusal besides its message. */
export interface RefusalDetails {
  /** The HTTP status. A refusal within a stream may contain one itself. */
  readonly status?: number | undefined
  readonly retryAfterMs?: number | undefined
  /** Appended to the server's message. */
  readonly note?: string | undefined
}

/**
 * Converts a server's refusal to an EngineError with the server's message.
 *
 * @param body - the answer: text, which may be JSON, or parsed JSON
 */
export function failureOf(body: unknown, { status, retryAfterMs, note = '' }: RefusalDetails = {}): EngineError {
  const { data } = errorBody.safeParse(typeof body === 'string' ? jsonOf(body) : body)
  const own = typeof data?.code === 'number' ? data.code : undefined
  const statusCode = status ?? (own !== undefined && own >= 400 && own < 600 ? own : undefined)
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const words = (data?.message || text).trim().slice(0, MAX_WORDS) || `the server answered with status ${statusCode}`
  const isShared = statusCode === 500 && SHARED_CONTEXT_FULL.test(words)
  const code = isShared ? 'server_error' : codeOf(statusCode, `${data?.type} ${data?.code} ${words}`)
  const message = words + note
  const options = { ...(statusCode !== undefined && { status: statusCode }), retryAfterMs }
  return statusCode !== undefined && (TRANSIENT.includes(statusCode) || isShared)
    ? new TransientError(code, message, { ...options, isUnavailable: code === 'server_error' })
    : new EngineError(code, message, options)
}

/** The limit of a message in characters. A proxy's error page may be long, and the message reaches the client. */
const MAX_WORDS = 2000

function codeOf(status: number | undefined, words: string): EngineErrorCode {
  if (status === 429 || (status === 503 && TOO_MANY.test(words))) return 'rate_limit_exceeded'
  if (status === 401 || status === 403 || status === 404) return 'server_error'
  if (TOO_LONG.test(words)) return 'context_length_exceeded'
  return status !== undefined && REFUSED.includes(status) ? 'invalid_prompt' : 'server_error'
}
