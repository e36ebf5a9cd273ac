import { check } from '../../errors.js'
import { sleep } from '../sleep.js'
import { failureOf, TransientError } from './failure-of.js'

/** Options of every engine behind HTTP. */
export interface HttpOptions {
  /** Where the server is: `http://localhost:8000`. A path before its endpoints is kept. */
  readonly url: string
  /** Sent as `Authorization: Bearer`. */
  readonly apiKey?: string
  /** Sent with every request; they win over the library's own. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default: the runtime's. Node's gives up where nothing comes for 300 seconds, as in a very long prompt. */
  readonly fetch?: typeof globalThis.fetch
  /**
   * How often a call is tried again that has given no token yet: where no connection came about or it broke off, and on
   * 429, 502, 503 and 504. Default 2.
   */
  readonly retries?: number
  /**
   * Waits before another try: what the server's `Retry-After` asks for, else 500 ms, doubled each time. It should end
   * early where the signal aborts. Default: a timer.
   */
  readonly delay?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** One server, as an engine asks it. */
export interface HttpClient {
  /**
   * @throws EngineError where the answer is not 2xx, or there is none
   */
  request(method: 'GET' | 'POST', path: string, signal: AbortSignal, body?: unknown): Promise<Response>
  readonly retries: number
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>
}

/**
 * @throws HarmonyResponsesError `bad_option`
 */
export function createHttpClient(options: HttpOptions): HttpClient {
  check(typeof options === 'object' && options !== null, 'options', 'an object', options)
  const { url, apiKey, headers = {}, fetch, retries = 2, delay = sleep } = options
  check(typeof url === 'string' && /^https?:\/\//.test(url) && URL.canParse(url), 'url', 'an http or https URL', url)
  check(apiKey === undefined || typeof apiKey === 'string', 'apiKey', 'a string', typeof apiKey)
  check(typeof headers === 'object' && headers !== null, 'headers', 'an object', headers)
  check(fetch === undefined || typeof fetch === 'function', 'fetch', 'a function', fetch)
  check(Number.isInteger(retries) && retries >= 0, 'retries', 'a whole number of at least 0', retries)
  check(typeof delay === 'function', 'delay', 'a function', delay)
  const base = url.replace(/\/+$/, '')
  const fixed = new Headers({ 'content-type': 'application/json' })
  if (apiKey !== undefined) fixed.set('authorization', `Bearer ${apiKey}`)
  for (const [name, value] of Object.entries(headers)) fixed.set(name, value)

  async function request(method: 'GET' | 'POST', path: string, signal: AbortSignal, body?: unknown): Promise<Response> {
    const init = { method, headers: fixed, signal, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    let response: Response
    try {
      // Looked up now: a test or a tracer may have put another in its place.
      response = await (fetch ?? globalThis.fetch)(base + path, init)
    } catch (cause) {
      signal.throwIfAborted()
      throw new TransientError('server_error', `no connection to ${new URL(base).host}: ${reasonOf(cause)}`, { cause })
    }
    if (response.ok) return response
    const text = await response.text().catch(() => '')
    signal.throwIfAborted()
    throw failureOf(text || response.statusText, response.status, retryAfter(response.headers))
  }

  return { request, retries, delay }
}

/** Node says only `fetch failed`, and has the reason one level below. */
export function reasonOf(error: unknown): string {
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
