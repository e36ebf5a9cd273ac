import { roundTrip } from '../../conversation/round-trip.js'
import type { Scenario } from '../../scenario.js'
import type { PutTogether } from '../message.js'
import { MESSAGES_GET_TIME, MESSAGES_GET_WEATHER, toolResult } from './tools.js'

const thinking = { type: 'adaptive' }

/** Forced calls and thinking exclude each other at Anthropic. */
const required = { tool_choice: { type: 'any' }, thinking: undefined }

const back = ({ content, calls }: PutTogether) => [
  { role: 'assistant', content },
  { role: 'user', content: calls.map(toolResult) },
]

export const messagesCall: Scenario = {
  name: 'messages-call',
  asks: 'Messages: a call, streamed; its message goes back with the result, and is answered.',
  async run(server) {
    const body = { tools: [MESSAGES_GET_WEATHER], thinking }
    return roundTrip(server, server.messages, { calls: 1, body, required, back })
  },
}

export const messagesTwoTools: Scenario = {
  name: 'messages-parallel',
  asks: 'Messages: two calls in one answer, each with an id of its own; both results go back in one message.',
  async run(server) {
    const body = { tools: [MESSAGES_GET_WEATHER, MESSAGES_GET_TIME], thinking }
    return roundTrip(server, server.messages, { calls: 2, body, required, back })
  },
}
