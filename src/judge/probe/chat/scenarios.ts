import type { Fields } from '../../../shared/fields.js'
import type { AnswerCall } from '../conversation/api-server.js'
import { formatKept, lengthKept, stopKept } from '../conversation/limits.js'
import { BAD_CONVERSATIONS, refusesAll, user } from '../conversation/messages.js'
import { reasoningApart, THINK_FIRST } from '../conversation/reasoning-apart.js'
import { roundTrip } from '../conversation/round-trip.js'
import { jsonPreview } from '../finding.js'
import { inconclusive, type Scenario, unsupported } from '../scenario.js'
import type { BadRequest } from '../scenarios/bad-input.js'
import { CITY_SCHEMA } from '../scenarios/json-schema.js'
import { GET_TIME, GET_WEATHER, runTool } from '../scenarios/tools.js'
import { LIMIT } from '../scenarios/truncation.js'
import { type ChatMessage, sentBack } from './message.js'
import { completionDifference } from './same-completion.js'

/** A function as Chat Completions declares it. */
const chatTool = ({ type, ...declared }: Fields): Fields => ({ type, function: declared })

const WEATHER = chatTool(GET_WEATHER)
const TIME = chatTool(GET_TIME)

/** The message with the output of a call. */
const toolMessage = (call: AnswerCall): Fields => ({ role: 'tool', tool_call_id: call.id, content: runTool(call) })

const required = { tool_choice: 'required' }
const back = (message: ChatMessage): Fields[] => [sentBack(message), ...message.calls.map(toolMessage)]

const UNKNOWN_ROLE: BadRequest = [
  'an unknown role',
  { messages: [{ ...user('Say hello.'), role: 'nobody' }] },
  'warning',
]

/** The scenarios of Chat Completions, for servers that offer it. */
export const CHAT_SCENARIOS: readonly Scenario[] = [
  {
    name: 'chat-text',
    asks: 'Chat Completions: a question is answered, streamed and not, and both answers have the same parts.',
    async run({ chat, report }) {
      const body = { messages: [user('Say hello in one short sentence.')] }
      const streamed = await chat.stream('stream', { ...body, stream_options: { include_usage: true } })
      const whole = await chat.answer('answer', body)
      if (!streamed.isGood || !whole.isGood) return 'observed'
      const difference = completionDifference(streamed, whole)
      if (difference !== undefined) report('answer', { rule: 'same-shape', ...difference })
      return 'observed'
    },
  },
  {
    name: 'chat-reasoning',
    asks: 'Chat Completions: reasoning comes apart from the text, streamed and not, and may be sent back.',
    async run(server) {
      const { streamed, whole } = await reasoningApart(server, server.chat)
      if (!streamed.isGood) return 'observed'
      if (streamed.reasoning === '' && whole.reasoning === '')
        return inconclusive('the model did not reason, or it is hidden')
      const back = [THINK_FIRST, sentBack(streamed), user('Say that in three words.')]
      const refusal = {
        rule: 'items-go-back',
        expected: "the server's own message, sent back with its reasoning",
      } as const
      await server.chat.stream('sent back', { messages: back }, { refusal })
      return 'observed'
    },
  },
  {
    name: 'chat-call',
    asks: 'Chat Completions: a call, streamed; its message goes back with the output, and is answered.',
    run: (server) => roundTrip(server, server.chat, { calls: 1, body: { tools: [WEATHER] }, required, back }),
  },
  {
    name: 'chat-two-tools',
    asks: 'Chat Completions: two calls in one answer, each with an id of its own; both outputs go back and are answered.',
    async run(server) {
      const body = { tools: [WEATHER, TIME], parallel_tool_calls: true }
      return roundTrip(server, server.chat, { calls: 2, body, required, back })
    },
  },
  {
    name: 'chat-json-schema',
    asks: 'Chat Completions: an answer in a strict JSON schema is JSON, and has the fields of the schema.',
    async run(server) {
      const json_schema = { name: 'city', schema: CITY_SCHEMA, strict: true }
      return formatKept(server, server.chat, { response_format: { type: 'json_schema', json_schema } })
    },
  },
  {
    name: 'chat-stop',
    asks: 'Chat Completions: a stop string ends the answer before it, streamed and not.',
    run: (server) =>
      stopKept(server, server.chat, {
        field: 'stop',
        endOf: ({ ending }) => ({ finish_reason: ending }),
        stopped: () => ({ finish_reason: 'stop' }),
      }),
  },
  {
    name: 'chat-length',
    asks: `Chat Completions: a limit of ${LIMIT} tokens ends the answer with finish_reason "length", streamed and not.`,
    run: (server) =>
      lengthKept(server, server.chat, 'finish_reason "length"', { stream_options: { include_usage: true } }),
  },
  {
    name: 'chat-usage',
    asks: 'Chat Completions: include_usage brings the token counts in a last chunk, and without it there are none.',
    async run({ chat, report }) {
      const body = { messages: [user('Say hello in one short sentence.')] }
      const withUsage = await chat.stream(
        'with include_usage',
        { ...body, stream_options: { include_usage: true } },
        { isOptional: true },
      )
      if (withUsage.declined !== undefined) return unsupported(`stream_options is refused: ${withUsage.declined}`)
      const plain = await chat.stream('without', body)
      if (withUsage.isGood && withUsage.usage === undefined) {
        report('with include_usage', { rule: 'usage-kept', expected: 'usage in the last chunk', got: 'none' })
      }
      if (plain.isGood && plain.usage !== undefined) {
        const got = jsonPreview(plain.usage)
        report('without', { rule: 'usage-kept', severity: 'warning', expected: 'no usage, as none is asked for', got })
      }
      return withUsage.isGood || plain.isGood ? 'observed' : inconclusive('no stream was answered')
    },
  },
  {
    name: 'chat-errors',
    asks: 'Chat Completions: bad requests are refused, streamed or not, with an error that clients can read.',
    run: (server) => refusesAll(server, server.chat, [...BAD_CONVERSATIONS, UNKNOWN_ROLE]),
  },
]
