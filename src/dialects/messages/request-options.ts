import type { OptionTable } from '../../shared/options/check-options.js'
import { aFunction } from '../../shared/options/checks.js'
import { UNKNOWN_OPTIONS, type UnknownOptions } from '../body/draft.js'

/** What becomes of unknown parts, and the host's record of a conversation, as far as no block shows it. */
export interface MessagesRequestOptions extends UnknownOptions {
  /**
   * Returns the items of a seal of `sealCall`, in order, for their former place. Undefined for any other seal, which is
   * then one of reasoning. Default: all seals are.
   */
  readonly opened?: (sealed: string) => readonly object[] | undefined
  /**
   * Returns the model's hidden work in its turn before a call to the client: reasoning, and calls that the host ran, as
   * the items of the response. For clients that drop thinking blocks: items that the blocks bring back are not added
   * again. Called once for each id. Default: no record.
   *
   * @param toolUseId - the `id` of a `tool_use`, untrusted: look it up among this client's own calls only
   */
  readonly before?: (toolUseId: string) => readonly object[] | undefined
}

export const MESSAGES_REQUEST_OPTIONS: OptionTable<MessagesRequestOptions> = {
  ...UNKNOWN_OPTIONS,
  opened: aFunction,
  before: aFunction,
}
