import type { Fields } from '../../../shared/fields.js'
import type { BadRequest } from '../scenarios/bad-input.js'

// Requests of the APIs whose conversations are lists of messages.

export const user = (content: string): Fields => ({ role: 'user', content })

/** Wrong requests. */
export const BAD_CONVERSATIONS: readonly BadRequest[] = [
  ['cut body', '{"model": "x", "messages": [{"role": "us', 'error'],
  ['no messages', {}, 'error'],
  ['no messages, streamed', { stream: true }, 'error'],
  ['messages: 5', { messages: 5 }, 'error'],
  ['a message without a role', { messages: [{ content: 'Say hello.' }] }, 'error'],
  ['max_tokens: "many"', { messages: [user('Say hello.')], max_tokens: 'many' }, 'warning'],
]
