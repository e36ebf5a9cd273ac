/** Of the socket. */
export interface WebSocketLimits {
  /** How many sockets are open at once. Default 1,024. Those that come then are answered with 429. */
  readonly connections?: number
  /**
   * How many requests of one socket are being answered or wait, on all of its lanes together. Default 64. Those that
   * come then are refused when it is their turn, with 429.
   */
  readonly waitingRequests?: number
  /**
   * How many messages of one socket may have come and not be read yet. The client is held up then; where the runtime
   * cannot, its socket is closed with 1013. Default 1,024.
   */
  readonly waitingMessages?: number
  /** How many responses with `store: false` one socket remembers, so that requests go on from them. Default 32. */
  readonly rememberedResponses?: number
}

export const WEB_SOCKET_LIMITS: Required<WebSocketLimits> = {
  connections: 1024,
  waitingRequests: 64,
  waitingMessages: 1024,
  rememberedResponses: 32,
}
