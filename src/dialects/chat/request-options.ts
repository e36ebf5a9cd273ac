import type { OptionTable } from '../../shared/options/check-options.js'
import { aFunction } from '../../shared/options/checks.js'
import { UNKNOWN_OPTIONS, type UnknownOptions } from '../body/draft.js'

/** What becomes of unknown parts, and the host's record of a conversation, as far as its client cannot send it back. */
export interface ChatRequestOptions extends UnknownOptions {
  /**
   * Returns the model's work in its turn before a call to the client: its reasoning and the calls that the host ran, as
   * the items of the response. They replace the reasoning in the message. Undefined if the host ran no calls. Called
   * once for each id. Default: no record.
   *
   * @param callId - the `id` of an entry of `tool_calls`, untrusted: look it up among this client's own calls only
   */
  readonly before?: (callId: string) => readonly object[] | undefined
}

export const CHAT_REQUEST_OPTIONS: OptionTable<ChatRequestOptions> = { ...UNKNOWN_OPTIONS, before: aFunction }
