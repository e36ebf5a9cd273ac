import { roundTrip } from '../../conversation/round-trip.js'
import type { Scenario } from '../../scenario.js'
import { type ChatMessage, sentBack } from '../message.js'
import { CHAT_GET_TIME, CHAT_GET_WEATHER, toolMessage } from './tools.js'

const required = { tool_choice: 'required' }
const back = (message: ChatMessage) => [sentBack(message), ...message.calls.map(toolMessage)]

export const chatCall: Scenario = {
  name: 'chat-call',
  asks: 'Chat Completions: a call, streamed; its message goes back with the output, and is answered.',
  run: (server) => roundTrip(server, server.chat, { calls: 1, body: { tools: [CHAT_GET_WEATHER] }, required, back }),
}

export const chatTwoTools: Scenario = {
  name: 'chat-two-tools',
  asks: 'Chat Completions: two calls in one answer, each with an id of its own; both outputs go back and are answered.',
  async run(server) {
    const body = { tools: [CHAT_GET_WEATHER, CHAT_GET_TIME], parallel_tool_calls: true }
    return roundTrip(server, server.chat, { calls: 2, body, required, back })
  },
}
