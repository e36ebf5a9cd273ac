import { deadline } from '../deadline.js'
import type { McpTransport } from './client.js'
import { LOST } from './failure.js'

interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
}

interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly onRequestStreamEnd?: () => void
  readonly onresumptiontoken?: (token: string) => void
}

interface HttpTransport {
  send(message: Message, options?: SendOptions): Promise<void>
  close(): Promise<void>
  onmessage?: ((message: object, extra?: unknown) => void) | undefined
}

/** How long a stream may stay open after its answer: most end with it, and leave a connection that is used again. */
const GRACE_MS = 1_000
/** Tells a fetch for which message it is. It is never sent. */
const HEADER = 'x-harmony-responses-message'

/**
 * Ends the streams of one HTTP transport: each with its request. The SDK would keep a stream open for as long as the
 * server sends, also after a time-out. It has a signal for each request, but joins it to that of the transport by
 * `AbortSignal.any`, of which Node keeps two kilobytes for each as long as the transport lives. So a fetch finds its
 * request by a header or, where it resumes a stream, by the event that was last.
 */
export class RequestStreams {
  /** Those of requests without an answer, by the ids of these. */
  readonly #waiting = new Map<unknown, AbortController>()
  readonly #open = new Set<AbortController>()
  readonly #signals = new Map<string, AbortSignal>()
  /** The signals of streams that may be resumed, by the last event of each. */
  readonly #resumed = new Map<string, AbortSignal>()
  readonly #lifetime = new AbortController()
  #messages = 0

  /** Whether a request has no answer yet. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0
  }

  /** Wraps the fetch of the transport. */
  fetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
    return (input, init) => {
      const headers = new Headers(init?.headers)
      const signal =
        this.#signals.get(headers.get(HEADER) ?? '') ?? this.#resumed.get(headers.get('last-event-id') ?? '')
      headers.delete(HEADER)
      return fetch(input, { ...init, headers, ...(signal !== undefined && { signal }) })
    }
  }

  /**
   * Fails requests whose stream breaks off before the response, if no server can resume it: the SDK would wait until the
   * request times out. Sends all other messages one after the other, each within a time limit, so that a server that
   * takes none holds one socket.
   *
   * @param ms - the time limit
   * @param onAnswer - called for each answer to a request
   */
  bind(transport: McpTransport, ms: number, onAnswer: () => void): void {
    // biome-ignore lint/plugin: The SDK is an optional peer, so only its structure is known here.
    const http = transport as unknown as HttpTransport
    const send = http.send.bind(http)
    const close = http.close.bind(http)
    let last: Promise<unknown> = Promise.resolve()

    const sendRequest = async (message: Message, options?: SendOptions): Promise<void> => {
      const { id } = message
      const stream = new AbortController()
      const { signal } = stream
      let lastEvent = ''
      this.#waiting.set(id, stream)
      this.#open.add(stream)
      const onRequestStreamEnd = (): void => {
        this.#open.delete(stream)
        this.#resumed.delete(lastEvent)
        if (!this.#waiting.delete(id)) return
        http.onmessage?.({ jsonrpc: '2.0', id, error: { code: -32000, message: 'Connection closed', data: LOST } })
      }
      const onresumptiontoken = (event: string): void => {
        this.#resumed.delete(lastEvent)
        lastEvent = event
        this.#resumed.set(event, signal)
      }
      try {
        await this.#within(signal, options, (own) => send(message, { ...own, onRequestStreamEnd, onresumptiontoken }))
      } catch (error) {
        this.#waiting.delete(id)
        this.#end(stream)
        throw error
      }
    }

    const sendInTime = async (message: Message, options?: SendOptions): Promise<void> => {
      // Thousands may wait when the connection ends: their requests would all be made in one turn of the event loop.
      this.#lifetime.signal.throwIfAborted()
      const limit = deadline(ms, this.#lifetime.signal)
      try {
        await this.#within(limit.signal, options, (own) => send(message, own))
      } finally {
        limit.clear()
      }
    }

    http.send = (message, options) => {
      const { id, method, params } = message
      if (id !== undefined && method !== undefined) return sendRequest(message, options)
      if (method === 'notifications/cancelled') {
        this.#end(this.#take((Object(params) as { readonly requestId?: unknown }).requestId))
      }
      const sent = last.then(() => sendInTime(message, options))
      // The sender of a message handles its failure.
      last = sent.catch(() => {})
      return sent
    }

    http.close = () => {
      this.#lifetime.abort()
      for (const stream of this.#open) this.#end(stream)
      return close()
    }

    const { onmessage } = http
    http.onmessage = (message, extra) => {
      const { id, method } = message as Message
      const stream = method === undefined ? this.#take(id) : undefined
      if (stream !== undefined) {
        setTimeout(() => this.#end(stream), GRACE_MS).unref?.()
        onAnswer()
      }
      onmessage?.(message, extra)
    }
  }

  async #within<Result>(
    signal: AbortSignal,
    options: SendOptions | undefined,
    send: (options: SendOptions) => Promise<Result>,
  ): Promise<Result> {
    const key = String(this.#messages++)
    this.#signals.set(key, signal)
    try {
      return await send({ ...options, headers: { ...options?.headers, [HEADER]: key } })
    } finally {
      this.#signals.delete(key)
    }
  }

  #take(id: unknown): AbortController | undefined {
    const stream = this.#waiting.get(id)
    this.#waiting.delete(id)
    return stream
  }

  #end(stream: AbortController | undefined): void {
    if (stream === undefined) return
    this.#open.delete(stream)
    stream.abort()
  }
}
