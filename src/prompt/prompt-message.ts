import type { HarmonyMessage } from '../harmony/events.js'

/** A message of a prompt: what {@link messagesOf} makes of a request, and {@link renderMessages} renders. */
export interface PromptMessage extends HarmonyMessage {
  /** The index in `input` of the item that it came from; absent for the system message and the like. */
  readonly item?: number
  /**
   * Where the recipient stands: after the role, as the official renderer writes it (default), or after the channel, as
   * gpt-oss mostly does.
   */
  readonly recipientAfter?: 'role' | 'channel'
  /**
   * The whole message as it was sampled, from `<|start|>` to its terminator. Rendered as it is: the other fields then
   * only describe it.
   */
  readonly tokens?: ArrayLike<number>
}

/** Where a message stands in a prompt. */
export interface MessageSpan {
  readonly role: HarmonyMessage['role']
  readonly channel?: string
  readonly recipient?: string
  /** Index of its first token (`<|start|>`), and the index after its last. */
  readonly start: number
  readonly end: number
  readonly item?: number
}

export interface RenderedMessages {
  /** Without the `<|start|>assistant` of the next message. */
  readonly tokens: Uint32Array
  readonly messages: readonly MessageSpan[]
}
