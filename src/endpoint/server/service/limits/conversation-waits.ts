/** How long requests wait for a conversation, and how many. */
export interface ConversationWaitLimits {
  /**
   * How long a request waits for a conversation in which another response is open, in seconds. Default 0: it is refused
   * with 409 `conversation_locked`.
   */
  readonly conversationSeconds?: number
  /** The requests that wait so at once. Any more are refused. Default 256. */
  readonly conversationWaits?: number
}

/** Counts the requests that wait for conversations. */
export interface ConversationWaits {
  waiting: number
}
