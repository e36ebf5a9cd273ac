import type { HarmonyMessage } from '../../core/harmony/events.js'

/** A message of a prompt: an output of {@link messagesOf}, and an input of {@link renderMessages}. */
export interface PromptMessage extends HarmonyMessage {
  /** The index in `input` of its item; absent for messages without one, such as the system message. */
  readonly item?: number
  /**
   * Where the recipient stands: after the role, as the official renderer writes it (default), or after the channel, as
   * gpt-oss usually does.
   */
  readonly recipientAfter?: 'role' | 'channel'
  /**
   * The whole message as it was sampled, from `<|start|>` to its terminator. It is rendered unchanged, and the other
   * fields merely describe it.
   */
  readonly tokens?: ArrayLike<number>
}

/** The position of a message in a prompt. */
export interface MessageSpan {
  readonly role: HarmonyMessage['role']
  readonly channel?: string
  readonly recipient?: string
  /** Index of its first token (`<|start|>`), and the index after its last. */
  readonly start: number
  readonly end: number
  readonly item?: number
}

/** Messages as token ids, and which ids are of which message. */
export interface RenderedMessages {
  /** Excludes the `<|start|>assistant` of the next message. */
  readonly tokens: Uint32Array
  readonly messages: readonly MessageSpan[]
}
