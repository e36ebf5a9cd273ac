import type { Fields } from '../../../fields.js'
import type { Ask } from '../../ask.js'
import { jsonPreview } from '../../finding.js'
import { inconclusive, type Outcome, type Scenario, type Server } from '../../scenario.js'
import { blocksOf } from '../message.js'
import type { MessagesReply } from '../messages-server.js'
import { MESSAGES_GET_TIME, MESSAGES_GET_WEATHER, toolResult, user } from './tools.js'

/** How to treat a refusal of a message that the server itself sent. */
export const SENT_BACK: Ask = {
  refusal: { rule: 'items-go-back', expected: "the server's own message, sent back as it came" },
}

const THINKING = { type: 'adaptive' }

export const messagesCall: Scenario = {
  name: 'messages-call',
  asks: 'Messages: a call, streamed; its message goes back with the result, and is answered.',
  async run(server) {
    const messages = [user('What is the weather in Oslo right now? Use the tool.')]
    return roundTrip(server, { messages, tools: [MESSAGES_GET_WEATHER], thinking: THINKING }, 1)
  },
}

export const messagesTwoTools: Scenario = {
  name: 'messages-parallel',
  asks: 'Messages: two calls in one answer, each with an id of its own; both results go back in one message.',
  async run(server) {
    const text = 'What is the weather in Oslo, and what time is it there? Call both tools at once, then answer.'
    const tools = [MESSAGES_GET_WEATHER, MESSAGES_GET_TIME]
    return roundTrip(server, { messages: [user(text)], tools, thinking: THINKING }, 2)
  },
}

async function roundTrip(
  server: Server,
  body: Fields & { readonly messages: readonly Fields[] },
  wanted: number,
): Promise<Outcome> {
  const { messages: api, report } = server
  const first = await api.stream('request', body)
  if (!first.isGood) return 'observed'
  const called = callsOf(first).length > 0 || wanted > 1 ? first : await required(server, body)
  const calls = callsOf(called)
  if (called.stopReason === 'max_tokens') return inconclusive('the limit of tokens ended the calls')
  if (calls.length < wanted)
    return inconclusive(`the model made ${calls.length} of ${wanted} calls that were asked for`)
  const ids = calls.map(({ id }) => id)
  // Results are matched by id, so one of the calls would never get its result.
  if (new Set(ids).size < ids.length)
    report('request', { rule: 'call-ids-differ', expected: 'an id for each call', got: jsonPreview(ids) })
  const messages = [
    ...body.messages,
    { role: 'assistant', content: called.content },
    { role: 'user', content: calls.map(toolResult) },
  ]
  await api.stream('round trip', { ...body, messages }, SENT_BACK)
  return 'observed'
}

const callsOf = (reply: MessagesReply): readonly Fields[] => blocksOf(reply, 'tool_use')

/** A second request, which requires a call. Forced calls and thinking exclude each other at Anthropic. */
async function required({ messages, note }: Server, { thinking, ...body }: Fields): Promise<MessagesReply> {
  const asked = { ...body, tool_choice: { type: 'any' } }
  const second = await messages.stream('request with tool_choice', asked, { isOptional: true })
  if (second.declined !== undefined) note(`tool_choice "any" is refused: ${second.declined}`)
  return second
}
