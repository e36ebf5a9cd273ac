import { jsonPreview, preview } from '../../finding.js'
import { objectIn } from '../../judge-answer.js'
import { inconclusive, type Outcome, type Scenario, type Server, unsupported } from '../../scenario.js'
import { CITY_SCHEMA, isCity } from '../../scenarios/json-schema.js'
import type { ChatReply } from '../chat-server.js'
import { user } from './tools.js'

export const chatJsonSchema: Scenario = {
  name: 'chat-json-schema',
  asks: 'Chat Completions: an answer in a strict JSON schema is JSON, and has the fields of the schema.',
  async run({ chat, report }) {
    const format = { type: 'json_schema', json_schema: { name: 'city', schema: CITY_SCHEMA, strict: true } }
    const messages = [user('Which is the largest city of Norway, and how many people live there?')]
    const body = { messages, response_format: format }
    const { isGood, declined, finish, refusal, text } = await chat.stream('request', body, { isOptional: true })
    if (declined !== undefined) return unsupported(`strict formats are refused: ${declined}`)
    if (!isGood) return 'observed'
    if (finish === 'length') return inconclusive('the limit of tokens ended the answer')
    if (refusal !== '') return inconclusive('the model refused')
    if (!isCity(objectIn(text))) {
      const expected = 'JSON of the strict schema: {"city": string, "population": integer}'
      report('request', { rule: 'format-kept', expected, got: preview(text) || 'no text' })
    }
    return 'observed'
  },
}

/** A word that counting to twenty cannot avoid. */
const STOP = 'twelve'

export const chatStop: Scenario = {
  name: 'chat-stop',
  asks: 'Chat Completions: a stop string ends the answer before it, streamed and not.',
  async run(server) {
    const messages = [user('Write out the numbers from one to twenty as words, in lower case, separated by commas.')]
    const body = { messages, stop: [STOP] }
    const doubts: Outcome[] = []
    for (const [request, ask] of [
      ['stream', server.chat.stream],
      ['answer', server.chat.answer],
    ] as const) {
      const { isGood, declined, text, finish } = await ask(request, body, { isOptional: true })
      if (declined !== undefined) return unsupported(`stop is refused: ${declined}`)
      if (!isGood) continue
      const reported = (expected: string, got: string): void =>
        server.report(request, { rule: 'stop-kept', expected, got })
      if (text.includes(STOP)) reported(`an answer that ends before "${STOP}"`, preview(text))
      else if (!text.includes('eleven')) doubts.push(inconclusive('the model did not count so far'))
      else if (finish !== 'stop') reported('finish_reason "stop"', jsonPreview(finish))
    }
    return doubts[0] ?? 'observed'
  },
}

/** The lowest limit that OpenAI accepts. */
const LIMIT = 16

export const chatLength: Scenario = {
  name: 'chat-length',
  asks: `Chat Completions: a limit of ${LIMIT} tokens ends the answer with finish_reason "length", streamed and not.`,
  async run(server) {
    const text = 'Write out the numbers from one to two hundred as words, one after the other. Leave none out.'
    const body = { messages: [user(text)], max_tokens: LIMIT }
    const streamed = await server.chat.stream('stream', { ...body, stream_options: { include_usage: true } })
    const whole = await server.chat.answer('answer', body)
    const doubts = [limited(server, 'stream', streamed), limited(server, 'answer', whole)]
    return doubts.find((doubt) => doubt !== 'observed') ?? 'observed'
  },
}

function limited(server: Server, request: string, { isGood, finish, usage }: ChatReply): Outcome {
  if (!isGood) return 'observed'
  const { completion_tokens: tokens } = usage ?? {}
  if (typeof tokens === 'number' && tokens > LIMIT) {
    const expected = `max_tokens (${LIMIT}) to be obeyed`
    server.report(request, { rule: 'limit-kept', expected, got: `${tokens} tokens, ${jsonPreview(finish)}` })
  } else if (tokens === LIMIT && finish !== 'length') {
    const expected = `finish_reason "length" after ${LIMIT} tokens of ${LIMIT}`
    server.report(request, { rule: 'truncation-reported', expected, got: jsonPreview(finish) })
  } else if (finish !== 'length') return inconclusive('the answer ended before the limit')
  return 'observed'
}
