import { check } from '../../errors.js'

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
  /** The stop string that ended the answer, asked for when it is over. Default: none did. */
  readonly stopSequence?: () => string | undefined
}

export type ResolvedMessageAnswerOptions = Required<Omit<MessageAnswerOptions, 'id' | 'model' | 'stopSequence'>> &
  Pick<MessageAnswerOptions, 'id' | 'model' | 'stopSequence'>

const CHOICES = { thinking: ['shown', 'omitted', 'sealed'], preambles: ['text', 'hidden'] } as const

/** @throws HarmonyResponsesError `bad_option` */
export function resolveAnswerOptions(what: string, options: MessageAnswerOptions): ResolvedMessageAnswerOptions {
  check(typeof options === 'object' && options !== null, `${what}: options`, 'an object', options)
  const { id, model, stopSequence, thinking = 'sealed', preambles = 'text' } = options
  check(id === undefined || (typeof id === 'string' && id !== ''), `${what}.id`, 'a string', id)
  check(model === undefined || typeof model === 'string', `${what}.model`, 'a string', model)
  const isAskable = stopSequence === undefined || typeof stopSequence === 'function'
  check(isAskable, `${what}.stopSequence`, 'a function', stopSequence)
  for (const [name, value] of Object.entries({ thinking, preambles })) {
    const choices: readonly string[] = CHOICES[name as keyof typeof CHOICES]
    check(choices.includes(value), `${what}.${name}`, `one of ${choices.join(', ')}`, value)
  }
  return {
    thinking,
    preambles,
    ...(id !== undefined && { id }),
    ...(model !== undefined && { model }),
    ...(stopSequence !== undefined && { stopSequence }),
  }
}
