import { checkOptions } from '../../shared/options/check-options.js'
import type { RequestError } from '../../shared/request-error.js'
import { atOnce, type Slices } from '../../shared/slices.js'
import { readBody } from '../body/read-body.js'
import type { MessageAnswerOptions } from './answer-options.js'
import { Draft } from './draft.js'
import { MESSAGES_FIELDS } from './fields.js'
import { addOlderServers } from './mcp-servers.js'
import { MESSAGES_REQUEST_OPTIONS, type MessagesRequestOptions } from './request-options.js'

/** A Messages request mapped to the Responses API. */
export interface MessagesRequest {
  /** The body of a Responses create request, which `parseRequest` has to check: its values are the client's own. */
  readonly request: { readonly [parameter: string]: unknown }
  /** The form of the answer that the client wants: for `toMessageEvents` and `toMessage`. */
  readonly answer: MessageAnswerOptions
  /**
   * Words a refusal by `parseRequest` or `renderPrompt` in terms of the body: `messages[1].content[0].id` in place of
   * `input[2].call_id`.
   */
  refusal(error: RequestError): RequestError
}

/**
 * Reads the body of a Messages create request, or of one that counts tokens. docs/messages.md lists the parameters.
 *
 * @param body - the parsed JSON
 * @throws RequestError with the path in the body: `messages[3].content[0]`
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { fromMessagesRequest } from 'harmony-responses/dialects'
 * import { parseRequest } from 'harmony-responses/request'
 *
 * const body = { max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] }
 * const { request, answer } = fromMessagesRequest(body)
 * const parsed = parseRequest(request) // and `answer` is for toMessageEvents or toMessage
 * console.log(parsed.max_output_tokens) // 100
 * ```
 */
export function fromMessagesRequest(body: unknown, options: MessagesRequestOptions = {}): MessagesRequest {
  return atOnce(messagesRequestInSlices(body, options))
}

/** Does the same in slices. @throws like {@link fromMessagesRequest} */
export function* messagesRequestInSlices(body: unknown, options: MessagesRequestOptions = {}): Slices<MessagesRequest> {
  checkOptions('fromMessagesRequest', options, MESSAGES_REQUEST_OPTIONS)
  const draft = new Draft(options)
  // Nothing is stored: a client sends all of the conversation, with seals that tell how it was sampled.
  draft.put('store', false)
  draft.put('include', ['reasoning.encrypted_content'])
  yield* readBody(body, MESSAGES_FIELDS, draft)
  addOlderServers(draft)
  return { ...draft.finish(), answer: draft.answer }
}
