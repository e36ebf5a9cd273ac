/** Limits of the socket. */
export interface WebSocketLimits {
  /** Open sockets. Default 1,024. Any more are answered with 429. */
  readonly connections?: number
  /**
   * Running and waiting requests of one socket, on all of its lanes together. Default 64. Any more are refused in their
   * turn, with 429.
   */
  readonly waitingRequests?: number
  /**
   * Unread messages of one socket. At the limit the client is paused or, if the runtime cannot, its socket is closed
   * with 1013. Default 1,024.
   */
  readonly waitingMessages?: number
  /** Responses with `store: false` that one socket remembers, so that requests can continue them. Default 32. */
  readonly rememberedResponses?: number
}

export const WEB_SOCKET_LIMITS: Required<WebSocketLimits> = {
  connections: 1024,
  waitingRequests: 64,
  waitingMessages: 1024,
  rememberedResponses: 32,
}
