import type { HarmonyMessage } from '../../core/harmony/events.js'

/** A message of a prompt: an output of {@link promptMessages}, and an input of {@link renderMessages}. */
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
  /** The role of the message. */
  readonly role: HarmonyMessage['role']
  /** Its channel. Absent if it has none. */
  readonly channel?: string
  /** The addressee. Absent if it has none. */
  readonly recipient?: string
  /** The index of its first token, `<|start|>`. */
  readonly start: number
  /** The index after its last token. */
  readonly end: number
  /** The index in `input` of its item. Absent for messages without one. */
  readonly item?: number
}

/** Messages as token ids, and which ids are of which message. */
export interface RenderedMessages {
  /** Excludes the `<|start|>assistant` of the next message. */
  readonly tokens: Uint32Array
  /** Where each message stands, in order. */
  readonly messages: readonly MessageSpan[]
}
