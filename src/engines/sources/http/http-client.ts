import type { OptionTable } from '../../../shared/options/check-options.js'
import { aBoolean, aFunction, anything, wholeNumber } from '../../../shared/options/checks.js'
import { sleep } from '../../../shared/system/sleep.js'
import { EngineError } from '../../contract/engine-error.js'
import { addressOf } from './address.js'
import type { Answer, Transport } from './answer.js'
import { failureOf, TransientError } from './failure-of.js'
import { fetchTransport } from './fetch-transport.js'
import { createIdentity } from './identity.js'
import { nodeTransport } from './node-transport.js'
import { readText } from './read-text.js'

/**
 * Options of every HTTP engine.
 *
 * Error messages never contain secrets of at least 4 characters: the user, password and query values of `url`, the
 * `apiKey`, and header values. If the server repeats one, the message has `[hidden]` in its place.
 *
 * At most 64 Ki characters of a refusal and 16 Mi of one event are read. Beyond that the request is cancelled with an
 * EngineError.
 */
export interface HttpOptions {
  /**
   * The server's URL: `http://localhost:8000`. A path and a query are kept. A user and a password are sent as
   * `Authorization: Basic` and cannot be combined with another `Authorization`.
   */
  readonly url: string
  /** Sent as `Authorization: Bearer`. A function is called for each request, for a key that changes. */
  readonly apiKey?: string | (() => string)
  /** Sent with every request; they override the library's own. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * Whether the first contact and `health()` prove that the server is of this kind and its model gpt-oss: by the server's
   * tokenizer, or by the model's name where there is none. Default true; false for a server that has neither.
   */
  readonly checkModel?: boolean
  /**
   * Sends the requests. Default: on Node its own HTTP client, which reads a token in half the processor time; elsewhere,
   * and where `globalThis.fetch` was replaced, that. Node's client takes 10 seconds to connect at most, and fails after 600
   * without data (its `fetch`: 300, which a very long prompt may take). It asks no dispatcher of undici's: pass
   * `globalThis.fetch` if one of yours leads to the server, as through a proxy.
   */
  readonly fetch?: typeof globalThis.fetch
  /**
   * How often a call without any token yet is retried: if the stream ends without a finish reason, or on 429, 502, 503
   * and 504; if connecting fails, at most once. Also how often any request is sent again if the server closes its
   * connection without an answer. Default 2.
   */
  readonly retries?: number
  /**
   * Waits before a retry: for the server's `Retry-After`, else 500 ms, doubled each time up to a minute; 100 ms if
   * connecting failed or the connection was closed. A server that asks for more than a minute is not retried. The promise should resolve early if the signal aborts. Default: a
   * timer.
   */
  readonly delay?: (ms: number, signal: AbortSignal) => Promise<void>
}

export const HTTP_OPTIONS: OptionTable<HttpOptions> = {
  // Options that may contain secrets are checked where they are read: no message may repeat one.
  url: anything,
  apiKey: anything,
  headers: anything,
  checkModel: aBoolean,
  fetch: aFunction,
  retries: wholeNumber(0),
  delay: aFunction,
}

export interface RequestExtras {
  /** Of this request alone; those of the options override them. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Called before the request is sent again because the server closed the connection. */
  readonly onClosed?: (error: TransientError) => void
}

/** The client of one server. */
export interface HttpClient {
  /**
   * @param body - sent as JSON; a text is JSON already. A function creates it for each attempt
   * @returns the answer, to be read or cancelled
   * @throws EngineError if there is no answer or it is not 2xx
   */
  request(
    method: 'GET' | 'POST',
    path: string,
    signal: AbortSignal,
    body?: unknown,
    extras?: RequestExtras,
  ): Promise<Answer>
  /**
   * Returns the answer of a GET as text.
   *
   * @throws EngineError if there is no answer, it is not 2xx, or it exceeds 4 Mi characters
   */
  read(path: string, signal: AbortSignal): Promise<string>
  /** Returns the end of a message about a missing path: `: should url end in /v1/completions?`, or an empty text. */
  readonly hint: string
  /** Removes the options' secrets from an error. */
  shown(error: unknown): unknown
  readonly retries: number
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Retries an unreachable server once, soon: it may be restarting, and the caller should learn of a failure at once. */
const CONNECT_AGAIN_MS = 100
const MAX_REFUSAL_CHARACTERS = 64 * 1024
const MAX_ANSWER_CHARACTERS = 4 * 1024 * 1024
const RUNTIME_FETCH = globalThis.fetch
/** Statuses of a wrong path. */
const WRONG_PATH = [404, 405]

/**
 * @throws HarmonyResponsesError `bad_option`
 */
export function createHttpClient(options: HttpOptions): HttpClient {
  const { url, apiKey, headers = {}, fetch, retries = 2, delay = sleep } = options
  const address = addressOf(url)
  const identity = createIdentity(apiKey, headers, address)
  const byFetch = fetchTransport(fetch)
  const byNode = fetch === undefined ? nodeTransport(address.isSecure) : undefined
  // Looked up per request, because a test or a tracer may have replaced the runtime's.
  const transport = (): Transport => (globalThis.fetch === RUNTIME_FETCH && byNode) || byFetch
  const hint = address.path === '' ? '' : `: should url end in ${address.path}?`

  const send: HttpClient['request'] = async (method, path, signal, body, extras) => {
    const headers = new Headers(extras?.headers)
    for (const [name, value] of identity.headers()) headers.set(name, value)
    const json = typeof body === 'string' ? body : JSON.stringify(body)
    const init = { method, headers, signal, ...(body === undefined ? {} : { body: json }) }
    let answer: Answer
    try {
      answer = await transport()(address.endpoint(path), init)
    } catch (cause) {
      signal.throwIfAborted()
      throw new TransientError('server_error', `cannot connect to ${address.host}: ${reasonOf(cause)}`, {
        cause,
        isUnavailable: true,
        retryAfterMs: CONNECT_AGAIN_MS,
        // A closed connection was replaced as often as it may be.
        retries: isClosed(cause) ? 0 : 1,
      })
    }
    const { status, statusText } = answer
    if (status >= 200 && status <= 299) return answer
    const { text, isCut } = await readText(answer, MAX_REFUSAL_CHARACTERS)
    signal.throwIfAborted()
    const size = isCut ? ` (the first of more than ${MAX_REFUSAL_CHARACTERS} characters)` : ''
    const where = WRONG_PATH.includes(status) ? ` (${method} ${address.shown(path)}${hint})` : ''
    const retryAfterMs = retryAfter(answer.header('retry-after'))
    throw failureOf(identity.concealer().text(text) || statusText, { status, retryAfterMs, note: size + where })
  }

  /**
   * Sends a request again whose connection the server closed without an answer. Servers close idle connections (vLLM and
   * SGLang after 5 seconds), and a busy one does so just when the next request is on its way. All idle ones are then closed
   * together, so the next connection may be closed, too. Another process may answer next.
   */
  const request: HttpClient['request'] = async (method, path, signal, body, extras) => {
    for (let again = 0; ; again++) {
      const content: unknown = typeof body === 'function' ? await body() : body
      try {
        return await send(method, path, signal, content, extras)
      } catch (error) {
        if (again >= retries || !(error instanceof TransientError && isClosed(error.cause))) throw error
        extras?.onClosed?.(error)
        await delay(CONNECT_AGAIN_MS, signal)
        signal.throwIfAborted()
      }
    }
  }

  async function read(path: string, signal: AbortSignal): Promise<string> {
    const { text, isCut, error } = await readText(await request('GET', path, signal), MAX_ANSWER_CHARACTERS)
    signal.throwIfAborted()
    if (error !== undefined) throw lostConnection(error)
    if (!isCut) return text
    const expected = `at most ${MAX_ANSWER_CHARACTERS} characters from ${address.shown(path)}`
    throw new EngineError('server_error', `expected ${expected}, got more`)
  }

  return { request, read, hint, shown: (error) => identity.concealer().error(error), retries, delay }
}

/** Node's codes for a connection that ended before the answer began. Other runtimes send again by themselves. */
const CLOSED: readonly unknown[] = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']

/** Node's client has the code on its error, `fetch` on the cause of it. */
function isClosed(error: unknown): boolean {
  const { code, cause } = Object(error) as { code?: unknown; cause?: unknown }
  return CLOSED.includes(code) || CLOSED.includes((Object(cause) as { code?: unknown }).code)
}

/** The error for an answer that breaks off while it is read. */
export function lostConnection(cause: unknown): TransientError {
  return new TransientError('server_error', `the connection was lost: ${reasonOf(cause)}`, { cause })
}

/** The reason of a failed fetch. Node's own message is only `fetch failed`; the reason is in its cause. */
function reasonOf(error: unknown): string {
  const { message = error, cause } = Object(error) as { message?: unknown; cause?: unknown }
  const below = Object(cause) as { message?: unknown; code?: unknown }
  return String(below.message || below.code || message)
}

/** The milliseconds of `Retry-After`, which is in seconds or a date. */
function retryAfter(value: string | null): number | undefined {
  if (value === null || value.trim() === '') return undefined
  const ms = /^\s*\d+\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
