import type { Fields } from '../../../shared/fields.js'
import { asFields } from '../../conformance/stream-event.js'
import { jsonPreview } from '../finding.js'
import { inconclusive, type Outcome, type Scenario, type Server } from '../scenario.js'

/** The lowest limit that OpenAI accepts. */
export const LIMIT = 16

/** More than the limit leaves room for. */
export const COUNT_FAR = 'Write out the numbers from one to two hundred as words, one after the other. Leave none out.'

export const truncation: Scenario = {
  name: 'truncation',
  asks: `A limit of ${LIMIT} tokens ends the response as incomplete, and says so, streamed and not.`,
  async run(server) {
    const body = { input: COUNT_FAR, max_output_tokens: LIMIT }
    const streamed = await server.stream('stream', body)
    const doubts = [streamed.isGood ? judge(server, 'stream', streamed.response) : 'observed']
    const whole = await server.answer('answer', body)
    if (whole.isGood) doubts.push(judge(server, 'answer', whole.response))
    return doubts.find((doubt) => doubt !== 'observed') ?? 'observed'
  },
}

function judge(server: Server, request: string, { status, incomplete_details, usage }: Fields): Outcome {
  const { output_tokens: tokens } = asFields(usage)
  const { reason } = asFields(incomplete_details)
  if (typeof tokens === 'number' && tokens > LIMIT) {
    const expected = `max_output_tokens (${LIMIT}) to be obeyed`
    server.report(request, { rule: 'limit-kept', expected, got: `${tokens} tokens, ${jsonPreview(status)}` })
    return 'observed'
  }
  if (status === 'incomplete') {
    if (reason !== 'max_output_tokens') {
      const expected = 'incomplete_details.reason "max_output_tokens"'
      server.report(request, { rule: 'truncation-reported', expected, got: jsonPreview(incomplete_details) })
    }
    return 'observed'
  }
  if (tokens === LIMIT) {
    const expected = `status "incomplete" after ${LIMIT} tokens of ${LIMIT}`
    server.report(request, {
      rule: 'truncation-reported',
      expected,
      got: `${jsonPreview(status)}, as if it were complete`,
    })
    return 'observed'
  }
  const count = typeof tokens === 'number' ? `after ${tokens} tokens` : 'and the answer does not count its tokens'
  return inconclusive(`the answer ended before the limit, ${count}`)
}
