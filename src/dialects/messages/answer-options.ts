import { checkOptions, type OptionTable } from '../../options/check-options.js'
import { aFunction, aString, aText, oneOf, wholeNumber } from '../../options/checks.js'
import type { OutputItem } from '../../responses/items.js'

/** How an answer is worded. What the client asked for comes from `fromMessagesRequest`. */
export interface MessageAnswerOptions {
  /** Default: the id of the response, with `msg_` in the place of `resp_`. */
  readonly id?: string
  /** The name of the model, as the client knows it. Default: that of the response. */
  readonly model?: string
  /**
   * What the client is shown of the reasoning. `shown`: its text. `omitted`: thinking blocks without a text. `sealed`
   * (default): nothing, but for a `redacted_thinking` block in front of calls, for the model to read when it comes back with
   * their results.
   */
  readonly thinking?: 'shown' | 'omitted' | 'sealed'
  /** Where preambles go, which the model writes before its answer or a call. Default: `text`. */
  readonly preambles?: 'text' | 'hidden'
  /** How many searches of the web the client wants at most, by which one that failed is told apart. Default: any number. */
  readonly mostSearches?: number
  /**
   * What the model takes in, as far as it is known when the message begins: `usage` of `message_start`, which some clients read.
   * Default: nothing is known.
   */
  readonly input?: () => { readonly inputTokens?: number; readonly cachedTokens?: number }
  /** The stop string that ended the answer, asked for when it is over. Default: none did. */
  readonly stopSequence?: () => string | undefined
  /**
   * Seals an item that no block shows, such as a call of a tool that the request does not declare. The seal comes back in a
   * signature, for `opened` of `fromMessagesRequest`. Asked once for each item that is over; undefined for one that the model
   * shall forget. Default: all of them.
   */
  readonly sealCall?: (item: OutputItem) => string | undefined
}

type Optional = 'id' | 'model' | 'mostSearches' | 'input' | 'stopSequence' | 'sealCall'

export type ResolvedMessageAnswerOptions = Required<Omit<MessageAnswerOptions, Optional>> &
  Pick<MessageAnswerOptions, Optional>

const MESSAGE_ANSWER_OPTIONS: OptionTable<MessageAnswerOptions> = {
  id: aString,
  model: aText,
  thinking: oneOf('shown', 'omitted', 'sealed'),
  preambles: oneOf('text', 'hidden'),
  mostSearches: wholeNumber(1),
  input: aFunction,
  stopSequence: aFunction,
  sealCall: aFunction,
}

/** @throws HarmonyResponsesError `bad_option` */
export function resolveAnswerOptions(what: string, options: MessageAnswerOptions): ResolvedMessageAnswerOptions {
  checkOptions(what, options, MESSAGE_ANSWER_OPTIONS)
  const { id, model, mostSearches, input, stopSequence, sealCall, thinking = 'sealed', preambles = 'text' } = options
  return {
    thinking,
    preambles,
    ...(id !== undefined && { id }),
    ...(model !== undefined && { model }),
    ...(mostSearches !== undefined && { mostSearches }),
    ...(input !== undefined && { input }),
    ...(stopSequence !== undefined && { stopSequence }),
    ...(sealCall !== undefined && { sealCall }),
  }
}
