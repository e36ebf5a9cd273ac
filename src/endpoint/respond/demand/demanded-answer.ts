import { SPECIAL } from '../../../core/harmony/vocabulary.js'
import { isAnswerJson } from '../../../core/recipients/format-classifier.js'
import type { ResponseRequest } from '../../../core/responses/request.js'
import { encoderOf } from '../../../core/tokens/encoder.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'
import type { ResponseFold } from '../../journal/response-fold.js'
import { isForClient } from '../calls/waiting-calls.js'

/**
 * Returns the header of the answer that `text.format` demands, for the host to write if the model stops without one;
 * undefined if the answer may be any text. Without `<|constrain|>json`, which parsers read as a recipient.
 */
export function demandedAnswer(request: ResponseRequest, tokenTable: TokenTable): readonly number[] | undefined {
  if (!isAnswerJson(request)) return undefined
  const encode = encoderOf(tokenTable)
  return [SPECIAL.start, ...encode('assistant'), SPECIAL.channel, ...encode('final'), SPECIAL.message]
}

/** Whether the model has stopped without an answer or a call for the client. */
export function hasNoAnswer({ modelOutput, turnOutput }: ResponseFold): boolean {
  const isAnswer = modelOutput.some((item) => item.type === 'message' && item.phase === 'final_answer')
  const isCall = turnOutput.some((item) => isForClient(item) && !('status' in item && item.status === 'incomplete'))
  return !isAnswer && !isCall
}

/** Whether the model continues directly after the header. */
export function isAnswerBegun(answer: readonly number[], { turnTokens }: ResponseFold): boolean {
  const last = turnTokens.slice(-answer.length)
  // At the beginning of a turn, its tokens exclude `<|start|>assistant`.
  return last.at(-1) === SPECIAL.message && last.every((id, at) => id === answer.at(at - last.length))
}
