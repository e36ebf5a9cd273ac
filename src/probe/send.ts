/** How the reading of an answer ended. */
export type ReplyEnd =
  /** The server closed it. */
  | 'whole'
  /** The server was silent for too long. */
  | 'silent'
  /** All that was to come had come, but the server did not close it. */
  | 'open'
  /** The connection broke. */
  | 'broken'
  /** It was longer than anybody would read. */
  | 'too long'
  /** The reader wanted no more. */
  | 'left'

/** What came of a request, as far as it came. */
export interface Reply {
  /** The HTTP status; 0 where not even that came. */
  readonly status: number
  /** Without its parameters, in lower case. */
  readonly contentType: string
  readonly text: string
  readonly end: ReplyEnd
  /** Why it broke, in the words of whoever broke it. */
  readonly reason?: string
}

/** What a reader says to a piece of an answer: go on, that was all that had to come, or leave. */
export type ReadDecision = 'more' | 'all' | 'leave'

export interface WireRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Headers
  readonly body?: string
}

/** Calls back after some milliseconds, unless it is cancelled by what it returns. */
export type Timer = (milliseconds: number, elapsed: () => void) => () => void

/** How long and how much. */
export interface Limits {
  /** The longest silence, in milliseconds. */
  readonly timeout: number
  /** The longest answer, in bytes. */
  readonly maxBytes: number
  /** Stops everything: `send` rejects with its reason. */
  readonly signal: AbortSignal | undefined
  readonly timer: Timer
}

/** How long a server may take to close a stream that is over, in milliseconds; no longer than the longest silence. */
const CLOSING_TIMEOUT = 5000

/** An answer as a whole may take as many times the longest silence. */
const DEADLINE_FACTOR = 10

/**
 * Sends one request and reads its answer to the end, or as far as it comes. Never rejects for what the server does.
 *
 * @param hear - gets the body as it comes, a piece at a time
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
  /** What comes of some work, or nothing where it takes too long. */
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
    // Not followed: a header with a key would go wherever the server says.
    const response = await within(fetch(url, { ...init, redirect: 'manual', signal: stop.signal }), timeout)
    if (response === undefined) return reply('silent')
    status = response.status
    contentType = (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
    const reader = response.body?.getReader()
    if (reader === undefined) return reply('whole')

    const utf8 = new TextDecoder()
    let size = 0
    let heard: ReadDecision = 'more'
    for (;;) {
      const step = await within(reader.read(), heard === 'all' ? Math.min(timeout, CLOSING_TIMEOUT) : timeout)
      if (step === undefined) return reply(heard === 'all' ? 'open' : 'silent')
      // Also where `fetch` does not listen to signals.
      signal?.throwIfAborted()
      if (isTooLate) return reply('silent')
      const piece = step.done ? utf8.decode() : utf8.decode(step.value, { stream: true })
      text += piece
      if (piece !== '') heard = hear(piece)
      if (step.done) return reply('whole')
      size += step.value.length
      if (heard === 'leave') return reply('left')
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

/** `fetch failed` says nothing; what caused it does. */
function reasonOf(error: unknown): string {
  const { cause, message } = Object(error) as { cause?: unknown; message?: unknown }
  const { code, message: deeper } = Object(cause) as { code?: unknown; message?: unknown }
  const words = [deeper, code, message, error].find((each) => typeof each === 'string' && each !== '')
  return typeof words === 'string' ? words : String(error)
}
