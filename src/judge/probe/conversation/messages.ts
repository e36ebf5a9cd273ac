import type { Fields } from '../../../shared/fields.js'
import type { readRefusal } from '../judge-answer.js'
import type { Outcome, Server } from '../scenario.js'
import { type BadRequest, refuseAll } from '../scenarios/bad-input.js'

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

/** Sends wrong requests, and judges how an API refuses each. */
export async function refusesAll(
  server: Server,
  api: Pick<Server, 'post'>,
  requests: readonly BadRequest[],
  read?: typeof readRefusal,
): Promise<Outcome> {
  const bodyOf = (body: object): string => JSON.stringify({ model: server.model, max_tokens: 64, ...body })
  await refuseAll(server, requests, bodyOf, api.post, read)
  return 'observed'
}
