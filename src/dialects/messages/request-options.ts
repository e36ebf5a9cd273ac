import type { OptionTable } from '../../options/check-options.js'
import { aFunction } from '../../options/checks.js'

/** What the host knows of a conversation that no block of it shows. */
export interface MessagesRequestOptions {
  /**
   * The items of a seal of `sealCall`, in their order; they stand where they stood. Undefined for any other seal, which is then
   * that of reasoning. Default: all are.
   */
  readonly opened?: (sealed: string) => readonly object[] | undefined
  /**
   * What the model did in its turn before a call of the client's that no block shows: reasoning, and calls that the host ran, as
   * the items of the response. For clients that drop thinking blocks: what these bring back is not taken again. Asked once for
   * each id. Default: nothing is known.
   *
   * @param toolUseId - the `id` of a `tool_use`, which is the client's word: look it up among its own calls alone
   */
  readonly before?: (toolUseId: string) => readonly object[] | undefined
}

export const MESSAGES_REQUEST_OPTIONS: OptionTable<MessagesRequestOptions> = { opened: aFunction, before: aFunction }
