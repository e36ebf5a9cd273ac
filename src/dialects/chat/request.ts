import { checkOptions } from '../../options/check-options.js'
import type { RequestError } from '../../request-error.js'
import { readBody } from '../body/read-body.js'
import type { ChatAnswerOptions } from './answer-options.js'
import { Draft } from './draft.js'
import { CHAT_FIELDS } from './fields.js'
import { CHAT_REQUEST_OPTIONS, type ChatRequestOptions } from './request-options.js'

/** A Chat Completions request in the words of the Responses API. */
export interface ChatRequest {
  /** The body of a Responses create request, for `parseRequest` to check: its values are the client's own. */
  readonly request: { readonly [parameter: string]: unknown }
  /** How the client wants the answer: for `toChatChunks` and `toChatCompletion`. */
  readonly answer: ChatAnswerOptions
  /**
   * What `parseRequest` or `renderPrompt` refuses, in the words of the body: `messages[1].tool_calls[0].id` in the place of
   * `input[2].call_id`.
   */
  refusal(error: RequestError): RequestError
}

/**
 * Reads the body of a Chat Completions create request. docs/chat-completions.md says what becomes of each parameter;
 * those that are not known are ignored.
 *
 *     const { request, answer, refusal } = fromChatRequest(await httpRequest.json())
 *
 * @param body - what `JSON.parse` made of it
 * @throws RequestError with the path in the body: `messages[3].content[0]`
 * @throws HarmonyResponsesError `bad_option`
 */
export function fromChatRequest(body: unknown, options: ChatRequestOptions = {}): ChatRequest {
  checkOptions('fromChatRequest', options, CHAT_REQUEST_OPTIONS)
  const draft = new Draft(options)
  draft.put('store', false)
  readBody(body, CHAT_FIELDS, draft)
  return { ...draft.finish(), answer: draft.answer }
}
