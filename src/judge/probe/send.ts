/** The end of an answer. */
export type ReplyEnd =
  /** The server closed it normally. */
  | 'whole'
  /** The server was silent for too long. */
  | 'silent'
  /** The last event came, but the server did not close the connection. */
  | 'open'
  /** The connection broke. */
  | 'broken'
  /** It was longer than `maxBytes`. */
  | 'too long'
  /** The reader stopped. */
  | 'left'

/** The answer to a request, as far as it came. */
export interface Reply {
  /** The HTTP status; 0 if none came. */
  readonly status: number
  /** The content type in lower case, without parameters. */
  readonly contentType: string
  readonly text: string
  readonly end: ReplyEnd
  /** The error message, if the connection broke. */
  readonly reason?: string
}

/** A reader's decision after a piece: to expect more, to expect only the end (`all`), or to stop (`leave`). */
export type ReadDecision = 'more' | 'all' | 'leave'

export interface WireRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Headers
  readonly body?: string
}

/** Calls back after some milliseconds. The returned function cancels it. */
export type Timer = (milliseconds: number, elapsed: () => void) => () => void

/** The timer of the platform. */
export const byTimeout: Timer = (milliseconds, elapsed) => {
  const timeout = setTimeout(elapsed, milliseconds)
  return () => clearTimeout(timeout)
}

/** Limits for an answer. */
export interface Limits {
  /** The longest silence, in milliseconds. */
  readonly timeout: number
  /** The longest answer, in bytes. */
  readonly maxBytes: number
  /** Stops the request: `send` rejects with the signal's reason. */
  readonly signal: AbortSignal | undefined
  readonly timer: Timer
}

/** How long a server may take to close a finished stream, in milliseconds, but at most `timeout`. */
const CLOSING_TIMEOUT = 5000

/** How many times `timeout` a complete answer may take. */
const DEADLINE_FACTOR = 10

/**
 * Sends one request, and reads its answer as far as it comes. It never rejects because of the server.
 *
 * @param hear - called with each piece of the body
 */
export async function send(
  fetch: typeof globalThis.fetch,
  { url, ...init }: WireRequest,
  { timeout, maxBytes, signal, timer }: Limits,
  hear: (text: string) => ReadDecision = () => 'more',
): Promise<Reply> {
  signal?.throwIfAborted()
  const stop = new AbortController()
  const stopWith = (): void => stop.abort(signal?.reason)
  signal?.addEventListener('abort', stopWith)
  let isTooLate = false
  const cancelDeadline = timer(DEADLINE_FACTOR * timeout, () => {
    isTooLate = true
    stop.abort()
  })
  /** The result of some work; undefined if it takes too long. */
  const within = <T>(work: Promise<T>, milliseconds: number): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      const cancel = timer(milliseconds, () => resolve(undefined))
      work.then(resolve, reject).finally(cancel)
    })
  let status = 0
  let contentType = ''
  let text = ''
  const reply = (end: ReplyEnd, reason?: string): Reply => {
    const about = { status, contentType, text, end }
    return reason === undefined ? about : { ...about, reason }
  }

  try {
    // Does not follow redirects: they could send the key in a header to another server.
    const response = await within(fetch(url, { ...init, redirect: 'manual', signal: stop.signal }), timeout)
    if (response === undefined) return reply('silent')
    status = response.status
    contentType = (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
    const reader = response.body?.getReader()
    if (reader === undefined) return reply('whole')

    const utf8 = new TextDecoder()
    let size = 0
    let nextRead: ReadDecision = 'more'
    for (;;) {
      const step = await within(reader.read(), nextRead === 'all' ? Math.min(timeout, CLOSING_TIMEOUT) : timeout)
      if (step === undefined) return reply(nextRead === 'all' ? 'open' : 'silent')
      // For implementations of `fetch` that ignore the signal.
      signal?.throwIfAborted()
      if (isTooLate) return reply('silent')
      const piece = step.done ? utf8.decode() : utf8.decode(step.value, { stream: true })
      text += piece
      if (piece !== '') nextRead = hear(piece)
      if (step.done) return reply('whole')
      size += step.value.length
      if (nextRead === 'leave') return reply('left')
      if (size > maxBytes) return reply('too long')
    }
  } catch (error) {
    signal?.throwIfAborted()
    return isTooLate ? reply('silent') : reply('broken', reasonOf(error))
  } finally {
    signal?.removeEventListener('abort', stopWith)
    cancelDeadline()
    stop.abort()
  }
}

/** The reason why a request failed: usually the cause, as the error itself only says `fetch failed`. */
function reasonOf(error: unknown): string {
  const { cause, message } = Object(error) as { cause?: unknown; message?: unknown }
  const { code, message: deeper } = Object(cause) as { code?: unknown; message?: unknown }
  const words = [deeper, code, message, error].find((each) => typeof each === 'string' && each !== '')
  return typeof words === 'string' ? words : String(error)
}
