import { BAD_CONVERSATIONS, user } from '../../conversation/messages.js'
import type { Scenario } from '../../scenario.js'
import { type BadRequest, refuseAll } from '../../scenarios/bad-input.js'

const UNKNOWN_ROLE: BadRequest = [
  'an unknown role',
  { messages: [{ ...user('Say hello.'), role: 'nobody' }] },
  'warning',
]

export const chatErrors: Scenario = {
  name: 'chat-errors',
  asks: 'Chat Completions: bad requests are refused, streamed or not, with an error that clients can read.',
  async run(server) {
    const bodyOf = (body: object): string => JSON.stringify({ model: server.model, max_tokens: 64, ...body })
    await refuseAll(server, [...BAD_CONVERSATIONS, UNKNOWN_ROLE], bodyOf, server.chat.post)
    return 'observed'
  },
}
