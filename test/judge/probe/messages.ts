import { createMessageEncoder, fromMessagesRequest, toMessage } from '../../../src/dialects/index.js'
import type { WireEvent } from '../../../src/judge/conformance/arbitraries/faults/wire-event.js'
import { RequestError } from '../../../src/shared/request-error.js'
import { inputTokensOf, type Json } from './model.js'
import { Refused } from './refused.js'

/** A model's answer to a conversation, as the events of a stream. */
type Respond = (conversation: readonly Json[], request: Json) => WireEvent[]

/** The answer of the test server to a body of the Messages API: streamed, and not. */
export function answerMessages(text: string, body: Json, respond: Respond): { whole: Json; events: Json[] } {
  const { request, answer } = read(text, body)
  const { input } = request as { input: Json[] }
  const response = respond(input, request as Json).map(sealed)
  const said = JSON.stringify(response.at(-1))
  // The model counts to the stop string, unless it is brief.
  const [stop] = (request as { stop?: string[] }).stop ?? []
  const options = { ...answer, stopSequence: () => (said.includes('eleven') ? stop : undefined) }
  const encode = createMessageEncoder(options)
  const events = response.flatMap((event) => encode(event as never))
  const whole = toMessage(response.at(-1)?.['response'] as never, options)
  return { whole: whole as unknown as Json, events: events as unknown as Json[] }
}

/** Any text that may be the seal of a reasoning item: thinking is signed with it. */
const SEAL = 'c2VhbGVk'.repeat(5)

/** An event whose reasoning items are sealed, as by a server with a key. */
function sealed(event: WireEvent): WireEvent {
  return JSON.parse(JSON.stringify(event), (_, value) =>
    value?.type === 'reasoning' ? { ...value, encrypted_content: SEAL } : value,
  )
}

/** The answer of the test server to a body of count_tokens. */
export function countMessages(text: string, body: Json): Json {
  if (body['max_tokens'] !== undefined) throw new Refused(400, 'max_tokens: Extra inputs are not permitted')
  const { input } = read(text, { ...body, max_tokens: 1 }).request as { input: Json[] }
  return { input_tokens: inputTokensOf(input) }
}

function read(text: string, body: Json): ReturnType<typeof fromMessagesRequest> {
  try {
    JSON.parse(text)
  } catch {
    throw new Refused(400, 'The body is no JSON.')
  }
  const { max_tokens } = body
  if (max_tokens !== undefined && typeof max_tokens !== 'number') throw new Refused(400, 'max_tokens: no integer')
  try {
    return fromMessagesRequest(body)
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    throw new Refused(400, error.message)
  }
}
