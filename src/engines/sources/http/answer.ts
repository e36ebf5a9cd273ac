import type { TextSource } from '../../contract/engine-server.js'

/** A server's answer, whose body is read as text. */
export interface Answer extends TextSource {
  readonly status: number
  readonly statusText: string
  /** Returns a header; null if there is none. */
  header(name: string): string | null
  /** Cancels a body that should have ended: its connection stays open for other requests if the end follows soon. */
  release(): void
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
