import { jsonPreview } from '../../finding.js'
import { inconclusive, type Outcome, type Scenario, type Server } from '../../scenario.js'
import type { MessagesReply } from '../messages-server.js'
import { user } from './tools.js'

/** The lowest limit that leaves room for an answer of its own. */
const LIMIT = 16

export const messagesLength: Scenario = {
  name: 'messages-length',
  asks: `Messages: a limit of ${LIMIT} tokens ends the answer with stop_reason "max_tokens", streamed and not.`,
  async run(server) {
    const text = 'Write out the numbers from one to two hundred as words, one after the other. Leave none out.'
    const body = { messages: [user(text)], max_tokens: LIMIT }
    const streamed = await server.messages.stream('stream', body)
    const whole = await server.messages.answer('answer', body)
    const doubts = [limited(server, 'stream', streamed), limited(server, 'answer', whole)]
    return doubts.find((doubt) => doubt !== 'observed') ?? 'observed'
  },
}

function limited(server: Server, request: string, { isGood, stopReason, usage }: MessagesReply): Outcome {
  if (!isGood) return 'observed'
  const { output_tokens: tokens } = usage
  if (typeof tokens === 'number' && tokens > LIMIT) {
    const expected = `max_tokens (${LIMIT}) to be obeyed`
    server.report(request, { rule: 'limit-kept', expected, got: `${tokens} tokens, ${jsonPreview(stopReason)}` })
  } else if (tokens === LIMIT && stopReason !== 'max_tokens') {
    const expected = `stop_reason "max_tokens" after ${LIMIT} tokens of ${LIMIT}`
    server.report(request, { rule: 'truncation-reported', expected, got: jsonPreview(stopReason) })
  } else if (stopReason !== 'max_tokens') return inconclusive('the answer ended before the limit')
  return 'observed'
}
