import type { OutputItem } from '../../core/responses/items.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aFunction, aString, aText, oneOf, wholeNumber } from '../../shared/options/checks.js'

/** The form of an answer. `fromMessagesRequest` returns the requested one. */
export interface MessageAnswerOptions {
  /** Default: the id of the response, with `msg_` in place of `resp_`. */
  readonly id?: string
  /** The name of the model, as the client knows it. Default: that of the response. */
  readonly model?: string
  /**
   * The part of the reasoning that the client is shown. `shown`: its text. `omitted`: thinking blocks without a text.
   * `sealed` (default): nothing. A `redacted_thinking` block carries the seals that no thinking block has: the model
   * reads it when it comes back with the results of the calls behind it.
   */
  readonly thinking?: 'shown' | 'omitted' | 'sealed'
  /** Whether preambles are shown, which the model writes before its answer or a call. Default: `text`. */
  readonly preambles?: 'text' | 'hidden'
  /**
   * The maximum number of web searches that the client wants, which distinguishes searches that failed because of it.
   * Default: any number.
   */
  readonly maxSearches?: number
  /**
   * Returns the model's input so far as it is known when the message begins: `usage` of `message_start`, which some
   * clients read. Default: nothing is known.
   */
  readonly input?: () => { readonly inputTokens?: number; readonly cachedTokens?: number }
  /** Returns the stop string that ended the answer, once it has ended. Default: none did. */
  readonly stopSequence?: () => string | undefined
  /**
   * Seals an item that no block shows, such as a call of a tool that the request does not declare. The seal comes back
   * in a signature, for `opened` of `fromMessagesRequest`. Called once for each finished item; undefined for one that
   * the model shall forget. Default: all of them.
   */
  readonly sealCall?: (item: OutputItem) => string | undefined
  /**
   * Returns until when a container is kept (RFC 3339), once the answer has ended, for `container` of the message.
   * Undefined for one that has ended. Default: the message names none.
   *
   * @param id - that of the last shown call of the code interpreter
   */
  readonly containerExpiry?: (id: string) => string | undefined
}

type Optional = 'id' | 'model' | 'maxSearches' | 'input' | 'stopSequence' | 'sealCall' | 'containerExpiry'

export type ResolvedMessageAnswerOptions = Required<Omit<MessageAnswerOptions, Optional>> &
  Pick<MessageAnswerOptions, Optional>

const MESSAGE_ANSWER_OPTIONS: OptionTable<MessageAnswerOptions> = {
  id: aString,
  model: aText,
  thinking: oneOf('shown', 'omitted', 'sealed'),
  preambles: oneOf('text', 'hidden'),
  maxSearches: wholeNumber(1),
  input: aFunction,
  stopSequence: aFunction,
  sealCall: aFunction,
  containerExpiry: aFunction,
}

/** @throws HarmonyResponsesError `bad_option` */
export function resolveAnswerOptions(what: string, options: MessageAnswerOptions): ResolvedMessageAnswerOptions {
  checkOptions(what, options, MESSAGE_ANSWER_OPTIONS)
  const { id, model, maxSearches, input, stopSequence, sealCall, containerExpiry } = options
  const { thinking = 'sealed', preambles = 'text' } = options
  return {
    thinking,
    preambles,
    ...(id !== undefined && { id }),
    ...(model !== undefined && { model }),
    ...(maxSearches !== undefined && { maxSearches }),
    ...(input !== undefined && { input }),
    ...(stopSequence !== undefined && { stopSequence }),
    ...(sealCall !== undefined && { sealCall }),
    ...(containerExpiry !== undefined && { containerExpiry }),
  }
}
