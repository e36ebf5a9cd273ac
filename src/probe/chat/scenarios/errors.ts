import type { Scenario } from '../../scenario.js'
import { type BadRequest, refuseAll } from '../../scenarios/bad-input.js'
import { user } from './tools.js'

const BAD: readonly BadRequest[] = [
  ['cut body', '{"model": "x", "messages": [{"role": "us', 'error'],
  ['no messages', {}, 'error'],
  ['no messages, streamed', { stream: true }, 'error'],
  ['messages: 5', { messages: 5 }, 'error'],
  ['a message without a role', { messages: [{ content: 'Say hello.' }] }, 'error'],
  ['an unknown role', { messages: [{ role: 'nobody', content: 'Say hello.' }] }, 'warning'],
  ['max_tokens: "many"', { messages: [user('Say hello.')], max_tokens: 'many' }, 'warning'],
]

export const chatErrors: Scenario = {
  name: 'chat-errors',
  asks: 'Chat Completions: bad requests are refused, streamed or not, with an error that clients can read.',
  async run(server) {
    const { chat, model } = server
    await refuseAll(server, BAD, (body) => JSON.stringify({ model, max_tokens: 64, ...body }), chat.post)
    return 'observed'
  },
}
