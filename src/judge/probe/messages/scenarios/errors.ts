import { BAD_CONVERSATIONS } from '../../conversation/messages.js'
import type { Scenario } from '../../scenario.js'
import { refuseAll } from '../../scenarios/bad-input.js'
import { readMessagesRefusal } from '../refusal.js'

export const messagesErrors: Scenario = {
  name: 'messages-errors',
  asks: 'Messages: bad requests are refused, streamed or not, with an error that clients can read.',
  async run(server) {
    const bodyOf = (body: object): string => JSON.stringify({ model: server.model, max_tokens: 64, ...body })
    await refuseAll(server, BAD_CONVERSATIONS, bodyOf, server.messages.post, readMessagesRefusal)
    return 'observed'
  },
}
