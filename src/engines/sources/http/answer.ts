/** A server's answer, whose body is read as text. */
export interface Answer {
  readonly status: number
  readonly statusText: string
  /** Returns a header; null if there is none. */
  header(name: string): string | null
  /** Reads the body, once: each piece in the step in which it arrives. */
  read(sink: TextSink): void
  /** Continues after a sink has taken enough. */
  resume(): void
  /** Stops reading, and closes the connection unless the body has ended. The sink is not called again. */
  cancel(): void
  /** Does the same for a body that should have ended: its connection stays open for other requests if the end follows soon. */
  release(): void
}

/** Takes the text of a body. Its methods must not throw. */
export interface TextSink {
  /** @returns whether it takes more now; if not, `resume()` follows */
  text(piece: string): boolean
  end(): void
  /** The body breaks off. */
  fail(error: unknown): void
}

/** A request to send. */
export interface SentRequest {
  readonly method: 'GET' | 'POST'
  readonly headers: Headers
  readonly body?: string
  readonly signal: AbortSignal
}

/** Sends a request. Rejects if there is no answer, or when the signal aborts. */
export type Transport = (url: string, request: SentRequest) => Promise<Answer>
