import type { Fields } from '../../../fields.js'
import type { Ask } from '../../ask.js'
import { jsonPreview } from '../../finding.js'
import { inconclusive, type Outcome, type Scenario, type Server } from '../../scenario.js'
import type { ChatReply } from '../chat-server.js'
import { sentBack } from '../message.js'
import { CHAT_GET_TIME, CHAT_GET_WEATHER, toolMessage, user } from './tools.js'

/** How to treat a refusal of a message that the server itself sent. */
const SENT_BACK: Ask = {
  refusal: { rule: 'items-go-back', expected: "the server's own message, sent back with the output of its call" },
}

export const chatCall: Scenario = {
  name: 'chat-call',
  asks: 'Chat Completions: a call, streamed; its message goes back with the output, and is answered.',
  async run(server) {
    const messages = [user('What is the weather in Oslo right now? Use the tool.')]
    return roundTrip(server, { messages, tools: [CHAT_GET_WEATHER] }, 1)
  },
}

export const chatTwoTools: Scenario = {
  name: 'chat-two-tools',
  asks: 'Chat Completions: two calls in one answer, each with an id of its own; both outputs go back and are answered.',
  async run(server) {
    const text = 'What is the weather in Oslo, and what time is it there? Call both tools at once, then answer.'
    const tools = [CHAT_GET_WEATHER, CHAT_GET_TIME]
    return roundTrip(server, { messages: [user(text)], tools, parallel_tool_calls: true }, 2)
  },
}

async function roundTrip(
  server: Server,
  body: Fields & { readonly messages: readonly Fields[] },
  wanted: number,
): Promise<Outcome> {
  const { chat, report } = server
  const first = await chat.stream('request', body)
  if (!first.isGood) return 'observed'
  const called = first.calls.length > 0 || wanted > 1 ? first : await required(server, body)
  const { calls, finish } = called
  if (finish === 'length') return inconclusive('the limit of tokens ended the calls')
  if (calls.length < wanted)
    return inconclusive(`the model made ${calls.length} of ${wanted} calls that were asked for`)
  const ids = calls.map(({ id }) => id)
  if (new Set(ids).size < ids.length) {
    // Outputs are matched by id, so one of the calls would never get its output.
    report('request', { rule: 'call-ids-differ', expected: 'an id for each call', got: jsonPreview(ids) })
  }
  const messages = [...body.messages, sentBack(called), ...calls.map(toolMessage)]
  await chat.stream('round trip', { ...body, messages }, SENT_BACK)
  return 'observed'
}

/** A second request, which requires a call. */
async function required({ chat, note }: Server, body: Fields): Promise<ChatReply> {
  const second = await chat.stream(
    'request with tool_choice',
    { ...body, tool_choice: 'required' },
    { isOptional: true },
  )
  if (second.declined !== undefined) note(`tool_choice "required" is refused: ${second.declined}`)
  return second
}
