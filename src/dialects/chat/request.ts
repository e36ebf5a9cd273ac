import { checkOptions } from '../../shared/options/check-options.js'
import type { RequestError } from '../../shared/request-error.js'
import { atOnce, type Slices } from '../../shared/slices.js'
import { readBody } from '../body/read-body.js'
import type { ChatAnswerOptions } from './answer-options.js'
import { Draft } from './draft.js'
import { CHAT_FIELDS } from './fields.js'
import { CHAT_REQUEST_OPTIONS, type ChatRequestOptions } from './request-options.js'

/** A Chat Completions request mapped to the Responses API. */
export interface ChatRequest {
  /** The body of a Responses create request, which `parseRequest` has to check: its values are the client's own. */
  readonly request: { readonly [parameter: string]: unknown }
  /** The form of the answer that the client wants: for `toChatChunks` and `toChatCompletion`. */
  readonly answer: ChatAnswerOptions
  /**
   * Words a refusal by `parseRequest` or `renderPrompt` in terms of the body: `messages[1].tool_calls[0].id` in place
   * of `input[2].call_id`.
   */
  refusal(error: RequestError): RequestError
}

/**
 * Reads the body of a Chat Completions create request. docs/chat-completions.md lists the parameters.
 *
 * @param body - the parsed JSON
 * @throws RequestError with the path in the body: `messages[3].content[0]`
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { fromChatRequest } from 'harmony-responses/dialects'
 * import { parseRequest } from 'harmony-responses/request'
 *
 * const { request, answer } = fromChatRequest({ messages: [{ role: 'user', content: 'hi' }], stream: true })
 * const parsed = parseRequest(request) // and `answer` is for toChatChunks or toChatCompletion
 * console.log(parsed.stream) // true
 * ```
 */
export function fromChatRequest(body: unknown, options: ChatRequestOptions = {}): ChatRequest {
  return atOnce(chatRequestInSlices(body, options))
}

/** Does the same in slices. @throws like {@link fromChatRequest} */
export function* chatRequestInSlices(body: unknown, options: ChatRequestOptions = {}): Slices<ChatRequest> {
  checkOptions('fromChatRequest', options, CHAT_REQUEST_OPTIONS)
  const draft = new Draft(options)
  draft.put('store', false)
  yield* readBody(body, CHAT_FIELDS, draft)
  return { ...draft.finish(), answer: draft.answer }
}
