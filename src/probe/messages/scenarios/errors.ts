import type { Scenario } from '../../scenario.js'
import { type BadRequest, refuseAll } from '../../scenarios/bad-input.js'
import { readMessagesRefusal } from '../refusal.js'
import { user } from './tools.js'

const BAD: readonly BadRequest[] = [
  ['cut body', '{"model": "x", "messages": [{"role": "us', 'error'],
  ['no messages', {}, 'error'],
  ['no messages, streamed', { stream: true }, 'error'],
  ['messages: 5', { messages: 5 }, 'error'],
  ['a message without a role', { messages: [{ content: 'Say hello.' }] }, 'error'],
  ['max_tokens: "many"', { messages: [user('Say hello.')], max_tokens: 'many' }, 'warning'],
]

export const messagesErrors: Scenario = {
  name: 'messages-errors',
  asks: 'Messages: bad requests are refused, streamed or not, with an error that clients can read.',
  async run(server) {
    const { messages, model } = server
    const bodyOf = (body: object): string => JSON.stringify({ model, max_tokens: 64, ...body })
    await refuseAll(server, BAD, bodyOf, messages.post, readMessagesRefusal)
    return 'observed'
  },
}
