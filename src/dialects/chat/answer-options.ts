import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aBoolean, aString, aText, oneOf, that } from '../../shared/options/checks.js'

/** The form of an answer. `fromChatRequest` returns the requested one. */
export interface ChatAnswerOptions {
  /** Default: the id of the response, with `chatcmpl-` in place of `resp_`. */
  readonly id?: string
  /** The name of the model, as the client knows it. Default: that of the response. */
  readonly model?: string
  /** Unix time in whole seconds. Default: that of the response. */
  readonly created?: number
  /** Ends the stream with a chunk that has the token counts and no choices. Default: false. */
  readonly includeUsage?: boolean
  /**
   * The fields that carry the reasoning: `reasoning_content`, introduced by DeepSeek, `reasoning`, as in OpenRouter and
   * vLLM, or both. Some clients show both, so that their users read everything twice. Default: `reasoning_content`.
   */
  readonly reasoning?: 'both' | 'reasoning_content' | 'reasoning' | 'hidden'
  /** The field for preambles, which the model writes before its answer or a call. Default: `content`. */
  readonly preambles?: 'content' | 'reasoning'
  /**
   * Whether a client is shown calls that the host runs: `reasoning` names each of them between the pieces of reasoning.
   * Default: `hidden`.
   */
  readonly hostedCalls?: 'hidden' | 'reasoning'
  /** Sends the first call as `function_call`, for clients that declare `functions`. Default: `tool_calls`. */
  readonly calls?: 'tool_calls' | 'function_call'
}

export type ResolvedChatAnswerOptions = Required<Omit<ChatAnswerOptions, 'id' | 'model' | 'created'>> &
  Pick<ChatAnswerOptions, 'id' | 'model' | 'created'>

export const CHAT_ANSWER_OPTIONS: OptionTable<ChatAnswerOptions> = {
  id: aString,
  model: aText,
  created: that(Number.isInteger, 'a time in whole seconds'),
  includeUsage: aBoolean,
  reasoning: oneOf('reasoning_content', 'reasoning', 'both', 'hidden'),
  preambles: oneOf('content', 'reasoning'),
  hostedCalls: oneOf('hidden', 'reasoning'),
  calls: oneOf('tool_calls', 'function_call'),
}

/** @throws HarmonyResponsesError `bad_option` */
export function resolveAnswerOptions(what: string, options: ChatAnswerOptions): ResolvedChatAnswerOptions {
  checkOptions(what, options, CHAT_ANSWER_OPTIONS)
  const { id, model, created, includeUsage = false } = options
  const { reasoning = 'reasoning_content', preambles = 'content', calls = 'tool_calls' } = options
  const { hostedCalls = 'hidden' } = options
  return {
    includeUsage,
    reasoning,
    preambles,
    hostedCalls,
    calls,
    ...(id !== undefined && { id }),
    ...(model !== undefined && { model }),
    ...(created !== undefined && { created }),
  }
}
