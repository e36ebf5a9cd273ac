import { failureIn } from '../../core/completion/failure.js'
import type { OutputItem } from '../../core/responses/items.js'
import type { Response } from '../../core/responses/response.js'
import { check } from '../../shared/errors.js'
import { failedRequest } from '../../shared/failed-request.js'
import { ChatAnswer, chatUsage, identityOf, isClientCall, type Piece } from './answer.js'
import { type ChatAnswerOptions, resolveAnswerOptions } from './answer-options.js'
import type { ChatCompletion, ChatError, ChatMessage, ChatToolCall, ChatToolCallDelta } from './completion.js'

/**
 * Returns the answer to a Chat Completions request that does not stream: the assembled chunks of {@link toChatChunks}.
 *
 * @param response - of a terminal event. One that failed or was cancelled is no answer: use {@link toChatError}.
 * @throws HarmonyResponsesError `bad_stream` if it is not a response, or one that is not completed or incomplete;
 * `bad_option`
 *
 * @example
 * ```ts
 * import { collectResponse, translate } from 'harmony-responses'
 * import { toChatCompletion } from 'harmony-responses/dialects'
 *
 * const response = await collectResponse(translate(tokens, { request }))
 * console.log(toChatCompletion(response).choices[0]?.message.content) // Hi!
 * ```
 */
export function toChatCompletion(response: Response, options: ChatAnswerOptions = {}): ChatCompletion {
  const resolved = resolveAnswerOptions('toChatCompletion', options)
  const { object, status } = Object(response) as Partial<Response>
  check(object === 'response', 'toChatCompletion', 'a response', response, 'bad_stream')
  const isAnswer = status === 'completed' || status === 'incomplete'
  check(isAnswer, 'toChatCompletion', 'a response that is completed or incomplete', status, 'bad_stream')
  const answer = new ChatAnswer(resolved)
  const pieces = [answer.begin(), ...response.output.flatMap((item, at) => piecesOf(item, at, answer)), answer.end()]
  const logprobs = pieces.flatMap((piece) => piece.logprobs ?? [])
  const choice = {
    index: 0,
    message: messageOf(pieces),
    logprobs: logprobs.length === 0 ? null : { content: logprobs, refusal: null },
    finish_reason: answer.finishReason(response),
  }
  const usage = response.usage === null ? {} : { usage: chatUsage(response.usage) }
  return { ...identityOf(response, resolved), object: 'chat.completion', choices: [choice], ...usage }
}

/**
 * Returns the error of a response that failed or was cancelled: the body of an HTTP error.
 *
 * @example
 * ```ts
 * import { collectResponse, translate } from 'harmony-responses'
 * import { toChatCompletion, toChatError } from 'harmony-responses/dialects'
 *
 * const response = await collectResponse(translate(tokens, { request }))
 * const isAnswer = response.status === 'completed' || response.status === 'incomplete'
 * const body = isAnswer ? toChatCompletion(response) : toChatError(response)
 * ```
 */
export function toChatError(response: Parameters<typeof failureIn>[0]): ChatError {
  check(typeof response === 'object' && response !== null, 'toChatError', 'a response', response)
  return failedRequest(failureIn(response)).body
}

function piecesOf(item: OutputItem, at: number, answer: ChatAnswer): Piece[] {
  if (isClientCall(item)) {
    const text = item.type === 'function_call' ? item.arguments : item.input
    return [...answer.call(at, item), ...answer.argumentsDelta(at, item.type, text)]
  }
  if (item.type === 'reasoning') {
    const parts = item.content.length > 0 ? item.content : item.summary
    return parts.flatMap(({ text }) => answer.reasoning(at, text))
  }
  if (item.type !== 'message') return answer.hosted(at, item)
  const isPreamble = item.phase === 'commentary'
  return item.content.flatMap(({ type, text, logprobs, annotations }) => {
    // A host's inserted message may contain a refusal: as in a stream, that is no content.
    if (type !== 'output_text') return []
    const pieces = answer.text(at, isPreamble, text, logprobs)
    for (const annotation of annotations) answer.cite(isPreamble, annotation)
    return pieces
  })
}

/** Assembles the pieces, as clients do with a stream. */
function messageOf(pieces: readonly Piece[]): ChatMessage {
  const message: ChatMessage = { role: 'assistant', content: null, refusal: null }
  const calls: ChatToolCall[] = []
  for (const { delta } of pieces) {
    if (typeof delta.content === 'string') message.content = (message.content ?? '') + delta.content
    for (const field of ['reasoning_content', 'reasoning'] as const) {
      if (delta[field] !== undefined) message[field] = (message[field] ?? '') + delta[field]
    }
    if (delta.annotations !== undefined) message.annotations = delta.annotations
    const { name = '', arguments: text = '' } = delta.function_call ?? {}
    if (delta.function_call !== undefined) {
      const call = message.function_call ?? { name, arguments: '' }
      message.function_call = { name: call.name, arguments: call.arguments + text }
    }
    for (const call of delta.tool_calls ?? []) extend(calls, call)
  }
  return calls.length === 0 ? message : { ...message, tool_calls: calls }
}

function extend(calls: ChatToolCall[], { index, id = '', type, ...delta }: ChatToolCallDelta): void {
  const call = calls[index]
  if (call === undefined) {
    const name = delta.function?.name ?? delta.custom?.name ?? ''
    calls.push(type === 'custom' ? { id, type, custom: { name, input: '' } } : callOf(id, name))
  } else if (call.type === 'custom') call.custom.input += delta.custom?.input ?? ''
  else call.function.arguments += delta.function?.arguments ?? ''
}

function callOf(id: string, name: string): ChatToolCall {
  return { id, type: 'function', function: { name, arguments: '' } }
}
