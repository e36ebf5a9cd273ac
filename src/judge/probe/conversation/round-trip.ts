import type { Fields } from '../../../shared/fields.js'
import { jsonPreview } from '../finding.js'
import type { OnRefusal } from '../on-refusal.js'
import { inconclusive, type Outcome, type Server } from '../scenario.js'
import type { AnswerContent, ApiReply, ApiServer } from './api-server.js'
import { user } from './messages.js'

/** How to treat a refusal of a message that the server itself sent. */
export const SENT_BACK: OnRefusal = {
  refusal: { rule: 'items-go-back', expected: "the server's own message, sent back as it came" },
}

/** A request for calls. */
interface RoundTripOptions<Of> {
  /** How many calls it asks for: one, or two in one answer. */
  readonly calls: 1 | 2
  readonly body: Fields
  /** The fields of a request that requires a call. */
  readonly required: Fields
  /** The messages of an answer with its calls, and of their outputs. */
  back(answer: Of): readonly Fields[]
}

const QUESTIONS = {
  1: 'What is the weather in Oslo right now? Use the tool.',
  2: 'What is the weather in Oslo, and what time is it there? Call both tools at once, then answer.',
} as const

/** Asks for calls, and sends them back with their outputs. */
export async function roundTrip<Of extends AnswerContent>(
  { report, note }: Server,
  api: ApiServer<Of>,
  { calls: callCount, body, required, back }: RoundTripOptions<Of>,
): Promise<Outcome> {
  const messages = [user(QUESTIONS[callCount])]
  const request = { ...body, messages }
  let answer: Of & ApiReply = await api.stream('request', request)
  if (!answer.isGood) return 'observed'
  if (answer.calls.length === 0 && callCount === 1) {
    answer = await api.stream('request with tool_choice', { ...request, ...required }, { isOptional: true })
    const choice = JSON.stringify(required['tool_choice'])
    if (answer.declined !== undefined) note(`tool_choice ${choice} is refused: ${answer.declined}`)
  }
  const { calls, isCut } = answer
  if (isCut) return inconclusive('the limit of tokens ended the calls')
  if (calls.length < callCount)
    return inconclusive(`the model made ${calls.length} of ${callCount} calls that were asked for`)
  const ids = calls.map(({ id }) => id)
  // Outputs are matched by id, so one of the calls would never get its output.
  if (new Set(ids).size < ids.length)
    report('request', { rule: 'call-ids-differ', expected: 'an id for each call', got: jsonPreview(ids) })
  await api.stream('round trip', { ...request, messages: [...messages, ...back(answer)] }, SENT_BACK)
  return 'observed'
}
