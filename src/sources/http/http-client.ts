import { EngineError } from '../../engine/engine-error.js'
import { check } from '../../errors.js'
import { sleep } from '../sleep.js'
import { addressOf } from './address.js'
import { createConcealer } from './conceal.js'
import { failureOf, TransientError } from './failure-of.js'
import { readText } from './read-text.js'
import { requestHeaders } from './request-headers.js'

/**
 * Options of every engine behind HTTP.
 *
 * No error's message holds the user, the password and the query's values of `url`, the `apiKey`, or a header's value,
 * of those that have at least 4 characters: also where the server repeats them, the message says `[hidden]`.
 *
 * Of what a server sends, at most 64 KiB of a refusal are read, and 16 Mi characters of one event: the request is
 * cancelled then, and the EngineError says so.
 */
export interface HttpOptions {
  /**
   * Where the server is: `http://localhost:8000`. A path before its endpoints is kept, and so is a query. A user and a
   * password in it are sent as `Authorization: Basic`, and cannot stand beside another `Authorization`.
   */
  readonly url: string
  /** Sent as `Authorization: Bearer`. */
  readonly apiKey?: string
  /** Sent with every request; they win over the library's own. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default: the runtime's. Node's gives up where nothing comes for 300 seconds, as in a very long prompt. */
  readonly fetch?: typeof globalThis.fetch
  /**
   * How often a call is tried again that has given no token yet: where no connection came about, or it ended before the
   * engine said why, and on 429, 502, 503 and 504. Default 2.
   */
  readonly retries?: number
  /**
   * Waits before another try: what the server's `Retry-After` asks for, else 500 ms, doubled each time up to a minute.
   * A server that asks for more than a minute is not tried again. It should end early where the signal aborts. Default:
   * a timer.
   */
  readonly delay?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** One server, as an engine asks it. */
export interface HttpClient {
  /**
   * @throws EngineError where the answer is not 2xx, or there is none
   */
  request(method: 'GET' | 'POST', path: string, signal: AbortSignal, body?: unknown): Promise<Response>
  /**
   * The answer of a GET, as text.
   *
   * @throws EngineError where it is not 2xx, has more than 4 MiB, or there is none
   */
  read(path: string, signal: AbortSignal): Promise<string>
  /** An error as it may be shown: without what is secret in the options. */
  shown(error: unknown): unknown
  readonly retries: number
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>
}

const MOST_OF_A_REFUSAL = 64 * 1024
const MOST_OF_AN_ANSWER = 4 * 1024 * 1024
/** What servers answer where nothing is, or something else is. */
const WRONG_PATH = [404, 405]

/**
 * @throws HarmonyResponsesError `bad_option`
 */
export function createHttpClient(options: HttpOptions): HttpClient {
  check(typeof options === 'object' && options !== null, 'options', 'an object', options)
  const { url, apiKey, headers = {}, fetch, retries = 2, delay = sleep } = options
  check(fetch === undefined || typeof fetch === 'function', 'fetch', 'a function', fetch)
  check(Number.isSafeInteger(retries) && retries >= 0, 'retries', 'a whole number of at least 0', retries)
  check(typeof delay === 'function', 'delay', 'a function', delay)
  const address = addressOf(url)
  const { headers: fixed, secrets } = requestHeaders(apiKey, headers, address.authorization)
  const conceal = createConcealer([...address.secrets, ...secrets])
  const hint = address.path === '' ? '' : `: should url end in ${address.path}?`

  async function request(method: 'GET' | 'POST', path: string, signal: AbortSignal, body?: unknown): Promise<Response> {
    const init = { method, headers: fixed, signal, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    let response: Response
    try {
      // Looked up now: a test or a tracer may have put another in its place.
      response = await (fetch ?? globalThis.fetch)(address.endpoint(path), init)
    } catch (cause) {
      signal.throwIfAborted()
      throw new TransientError('server_error', `cannot connect to ${address.host}: ${reasonOf(cause)}`, { cause })
    }
    if (response.ok) return response
    const { text, isCut } = await readText(response, MOST_OF_A_REFUSAL)
    signal.throwIfAborted()
    const { status } = response
    const size = isCut ? ` (the first of more than ${MOST_OF_A_REFUSAL} bytes)` : ''
    const where = WRONG_PATH.includes(status) ? ` (${method} ${address.shown(path)}${hint})` : ''
    const retryAfterMs = retryAfter(response.headers)
    throw failureOf(conceal.text(text) || response.statusText, { status, retryAfterMs, note: size + where })
  }

  async function read(path: string, signal: AbortSignal): Promise<string> {
    const { text, isCut, error } = await readText(await request('GET', path, signal), MOST_OF_AN_ANSWER)
    signal.throwIfAborted()
    if (error !== undefined) throw lostConnection(error)
    if (!isCut) return text
    const expected = `at most ${MOST_OF_AN_ANSWER} bytes from ${address.shown(path)}`
    throw new EngineError('server_error', `expected ${expected}, got more`)
  }

  return { request, read, shown: conceal.error, retries, delay }
}

/** For what breaks off while it is read. */
export function lostConnection(cause: unknown): TransientError {
  return new TransientError('server_error', `the connection was lost: ${reasonOf(cause)}`, { cause })
}

/** Node says only `fetch failed`, and has the reason one level below. */
function reasonOf(error: unknown): string {
  const { message = error, cause } = Object(error) as { message?: unknown; cause?: unknown }
  const below = Object(cause) as { message?: unknown; code?: unknown }
  return String(below.message || below.code || message)
}

/** `Retry-After`: seconds, or a date. */
function retryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  if (value === null || value.trim() === '') return undefined
  const ms = /^\s*\d+\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
