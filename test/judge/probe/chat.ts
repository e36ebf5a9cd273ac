import { createChatEncoder, fromChatRequest, toChatCompletion } from '../../../src/dialects/index.js'
import type { WireEvent } from '../../../src/judge/conformance/arbitraries/faults/wire-event.js'
import { RequestError } from '../../../src/shared/request-error.js'
import type { Json } from './model.js'
import { Refused } from './refused.js'

/** A model's answer to a conversation, as the events of a stream. */
type Respond = (conversation: readonly Json[], request: Json) => WireEvent[]

/** The answer of the test server to a body of Chat Completions: streamed, and not. */
export function answerChat(text: string, body: Json, respond: Respond): { whole: Json; chunks: Json[] } {
  const { request, answer } = read(text, body)
  const { input } = request
  const conversation =
    typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : (input as Json[])
  const events = respond(conversation, { ...request, stop: body['stop'] })
  const encode = createChatEncoder(answer)
  const chunks = events.flatMap((event) => encode(event as never))
  const whole = toChatCompletion(events.at(-1)?.['response'] as never, answer)
  return JSON.parse(JSON.stringify({ whole, chunks })) as { whole: Json; chunks: Json[] }
}

function read(text: string, body: Json): ReturnType<typeof fromChatRequest> {
  try {
    JSON.parse(text)
  } catch {
    throw new Refused(400, 'The body is no JSON.')
  }
  if (body['max_tokens'] !== undefined && typeof body['max_tokens'] !== 'number') {
    throw new Refused(400, "Invalid type for 'max_tokens'.", 'max_tokens')
  }
  try {
    const { stop, ...rest } = body
    return fromChatRequest(rest)
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    throw new Refused(400, error.message, error.param ?? null)
  }
}
