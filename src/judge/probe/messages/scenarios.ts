import type { Fields } from '../../../shared/fields.js'
import type { AnswerCall } from '../conversation/api-server.js'
import { formatKept, lengthKept, stopKept } from '../conversation/limits.js'
import { BAD_CONVERSATIONS, refusesAll, user } from '../conversation/messages.js'
import { reasoningApart, THINK_FIRST } from '../conversation/reasoning-apart.js'
import { roundTrip, SENT_BACK } from '../conversation/round-trip.js'
import { jsonPreview } from '../finding.js'
import { firstDifferingField } from '../same-shape.js'
import { inconclusive, type Scenario } from '../scenario.js'
import { CITY_SCHEMA } from '../scenarios/json-schema.js'
import { GET_TIME, GET_WEATHER, runTool } from '../scenarios/tools.js'
import { COUNT_FAR, LIMIT } from '../scenarios/truncation.js'
import { type AssembledMessage, blocksOf } from './message.js'
import { readMessagesRefusal } from './refusal.js'

/** A function as the Messages API declares it. */
const messagesTool = ({ name, description, parameters }: Fields): Fields => ({
  name,
  description,
  input_schema: parameters,
})

const WEATHER = messagesTool(GET_WEATHER)
const TIME = messagesTool(GET_TIME)

/** The block with the output of a call. */
const toolResult = (call: AnswerCall): Fields => ({ type: 'tool_result', tool_use_id: call.id, content: runTool(call) })

const thinking = { type: 'adaptive' }

/** Forced calls and thinking exclude each other at Anthropic. */
const required = { tool_choice: { type: 'any' }, thinking: undefined }

const back = ({ content, calls }: AssembledMessage): Fields[] => [
  { role: 'assistant', content },
  { role: 'user', content: calls.map(toolResult) },
]

/** Fields that both forms have, with other values. */
const OTHERWISE: readonly string[] = ['content', 'stop_reason', 'stop_sequence', 'usage', 'stop_details', 'container']

/** A count is an estimate at Anthropic: up to twice the tokens of the answer's prompt, or half of them. */
const MAX_RATIO = 2

/** The scenarios of the Messages API, for servers that offer it. */
export const MESSAGES_SCENARIOS: readonly Scenario[] = [
  {
    name: 'messages-text',
    asks: 'Messages: a question is answered, streamed and not, and both messages have the same fields.',
    async run({ messages, report }) {
      const body = { messages: [user('Say hello in one short sentence.')] }
      const streamed = await messages.stream('stream', body)
      const whole = await messages.answer('answer', body)
      if (!streamed.isGood || !whole.isGood) return 'observed'
      const difference = firstDifferingField('', streamed.message, whole.message, OTHERWISE)
      if (difference !== undefined)
        report('answer', {
          rule: 'same-shape',
          expected: `as in the stream, ${difference.expected}`,
          got: difference.got,
        })
      return 'observed'
    },
  },
  {
    name: 'messages-thinking',
    asks: 'Messages: thinking comes in blocks of its own with a signature, streamed and not, and may be sent back.',
    async run(server) {
      const { messages } = server
      const { streamed, whole } = await reasoningApart(server, messages, { thinking })
      // The judge reports it for streams.
      if (blocksOf(whole, 'thinking').some(({ signature }) => typeof signature !== 'string'))
        server.report('answer', {
          rule: 'message-shape',
          severity: 'warning',
          expected: 'a signature in each thinking block',
          got: 'none',
        })
      if (!streamed.isGood) return 'observed'
      if ([streamed, whole].every((reply) => blocksOf(reply, 'thinking').length === 0))
        return inconclusive('the model did not think, or it is hidden')
      const assistant = { role: 'assistant', content: streamed.content }
      await messages.stream(
        'sent back',
        { thinking, messages: [THINK_FIRST, assistant, user('Say that in three words.')] },
        SENT_BACK,
      )
      return 'observed'
    },
  },
  {
    name: 'messages-call',
    asks: 'Messages: a call, streamed; its message goes back with the result, and is answered.',
    async run(server) {
      const body = { tools: [WEATHER], thinking }
      return roundTrip(server, server.messages, { calls: 1, body, required, back })
    },
  },
  {
    name: 'messages-parallel',
    asks: 'Messages: two calls in one answer, each with an id of its own; both results go back in one message.',
    async run(server) {
      const body = { tools: [WEATHER, TIME], thinking }
      return roundTrip(server, server.messages, { calls: 2, body, required, back })
    },
  },
  {
    name: 'messages-format',
    asks: 'Messages: an answer in the JSON schema of output_config.format is JSON, and has the fields of the schema.',
    async run(server) {
      const format = { type: 'json_schema', schema: CITY_SCHEMA }
      return formatKept(server, server.messages, { output_config: { format } })
    },
  },
  {
    name: 'messages-stop',
    asks: 'Messages: a stop sequence ends the answer before it, and stop_sequence says which, streamed and not.',
    run: (server) =>
      stopKept(server, server.messages, {
        field: 'stop_sequences',
        endOf: ({ ending, stopSequence }) => ({ stop_reason: ending, stop_sequence: stopSequence }),
        stopped: (stop) => ({ stop_reason: 'stop_sequence', stop_sequence: stop }),
      }),
  },
  {
    name: 'messages-length',
    asks: `Messages: a limit of ${LIMIT} tokens ends the answer with stop_reason "max_tokens", streamed and not.`,
    run: (server) => lengthKept(server, server.messages, 'stop_reason "max_tokens"'),
  },
  {
    name: 'messages-count',
    asks: 'Messages: count_tokens counts a request about as its answer does, and more for a longer one.',
    async run({ messages: api, report }) {
      const messages = [user('Say hello in one short sentence.')]
      const { isGood, usage } = await api.stream('stream', { messages })
      if (!isGood) return 'observed'
      const longer = [...messages, { role: 'assistant', content: 'Hello there!' }, user(COUNT_FAR)]
      const counts: number[] = []
      for (const [request, sentMessages] of [
        ['count', messages],
        ['count of more', longer],
      ] as const) {
        const counted = await api.count(request, { messages: sentMessages })
        if (counted === undefined) return 'observed'
        const { input_tokens: tokens } = counted
        if (typeof tokens === 'number' && tokens > 0) counts.push(tokens)
        else report(request, { rule: 'tokens-counted', expected: 'input_tokens', got: jsonPreview(counted) })
      }
      const [one, more] = counts
      if (one === undefined || more === undefined) return 'observed'
      if (more <= one)
        report('count of more', { rule: 'tokens-counted', expected: `more than ${one} tokens`, got: String(more) })
      const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage
      const used = [input_tokens, cache_read_input_tokens, cache_creation_input_tokens]
        .filter((tokens) => typeof tokens === 'number')
        .reduce((sum, tokens) => sum + tokens, 0)
      if (used === 0) return inconclusive('the server does not count the input tokens of its answers')
      if (one > MAX_RATIO * used || used > MAX_RATIO * one)
        report('count', { rule: 'tokens-counted', expected: `about ${used} tokens, as in usage`, got: String(one) })
      return 'observed'
    },
  },
  {
    name: 'messages-errors',
    asks: 'Messages: bad requests are refused, streamed or not, with an error that clients can read.',
    run: (server) => refusesAll(server, server.messages, BAD_CONVERSATIONS, readMessagesRefusal),
  },
]
