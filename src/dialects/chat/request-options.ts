import type { OptionTable } from '../../options/check-options.js'
import { aFunction } from '../../options/checks.js'

/** What the host knows of a conversation that its client cannot send back. */
export interface ChatRequestOptions {
  /**
   * What the model did in its turn before a call of the client's: its reasoning and the calls that the host ran, as the
   * items of the response. They stand in the place of the reasoning that the message has. Undefined if there were no calls
   * of the host. Asked once for each id. Default: nothing is known.
   *
   * @param callId - the `id` of an entry of `tool_calls`, which is the client's word: look it up among its own calls alone
   */
  readonly before?: (callId: string) => readonly object[] | undefined
}

export const CHAT_REQUEST_OPTIONS: OptionTable<ChatRequestOptions> = { before: aFunction }
