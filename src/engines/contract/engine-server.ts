import type { GenerateOptions, TokenEngine } from './engine.js'

/** The paths on which a server of an engine may answer a client's requests itself: those that all known servers share. */
export const PASSED_PATHS = ['/v1/embeddings', '/v1/completions', '/v1/rerank', '/tokenize'] as const

/** A path on which a server of an engine may answer a request itself. */
export type PassedPath = (typeof PASSED_PATHS)[number]

/** The server of an engine, for requests that it answers itself: an endpoint passes them on. */
export interface EngineServer {
  /** The field of a body that separates prefix caches, like `cacheSalt` of a call. Absent if the server has none. */
  readonly cacheSaltField?: string
  /**
   * Sends a body. The server's key is added, and nothing of the answer but its text is given back.
   *
   * @param body - JSON
   * @throws EngineError if there is no answer, it is not 2xx, or it is neither JSON nor a stream of server-sent events
   */
  post(path: PassedPath, body: string, options: PassOptions): Promise<PassedAnswer>
  /**
   * Returns the names of its models, that of the engine first; none if the server lists none. Remembered until a
   * request fails. @throws EngineError
   */
  models(signal: AbortSignal): Promise<readonly string[]>
}

/** Options of a request that is passed on. */
export interface PassOptions {
  /** Aborts the request, and its answer. */
  readonly signal: AbortSignal
  /** The W3C trace context of the request, which is sent along. */
  readonly trace?: GenerateOptions['trace']
}

/** An answer, whose text is read once, or cancelled. */
export interface PassedAnswer extends TextSource {
  /** Whether it is a stream of server-sent events. Otherwise it is JSON. */
  readonly isStream: boolean
}

/** A text that arrives in pieces. */
export interface TextSource {
  /** Reads it, once: each piece in the step in which it arrives. */
  read(sink: TextSink): void
  /** Continues after a sink has taken enough. */
  resume(): void
  /** Stops reading, and closes the connection unless the text has ended. The sink is not called again. */
  cancel(): void
}

/** Takes a text. Its methods must not throw. */
export interface TextSink {
  /** @returns whether it takes more now; if not, `resume()` follows */
  text(piece: string): boolean
  /** The text is complete. */
  end(): void
  /** The text breaks off. */
  fail(error: unknown): void
}

/** An engine behind a server. */
export interface ServedEngine extends TokenEngine {
  /** The server behind the engine. */
  readonly server: EngineServer
}
