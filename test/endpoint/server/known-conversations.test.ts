import { expect, test } from 'vitest'
import { KnownConversation } from '../../../src/endpoint/prompt/known-conversation.js'
import { KnownConversations } from '../../../src/endpoint/server/service/conversation/known-conversations.js'
import type { FinishedResponse } from '../../../src/endpoint/stores/index.js'
import { finished, item } from '../stores/kept.js'

const clock = (): number => 0

function response(id: string): FinishedResponse {
  const added = finished({ input: [item(`msg_${id}`)] })
  return { ...added, history: [{ tokens: [1] }], response: { ...added.response, id } }
}

const [a, b, c, other] = ['a', 'b', 'c', 'other'].map(response) as [
  FinishedResponse,
  FinishedResponse,
  FinishedResponse,
  FinishedResponse,
]

const idsOf = (items: readonly { readonly id?: unknown }[]): unknown[] => items.map(({ id }) => id)

test('a conversation is put together in order, from the first time on and as it continues and branches', () => {
  const known = new KnownConversations({ clock })
  expect(known.of([]).prompt).toBeUndefined()
  for (const responses of [[a], [a, b], [a, b, c], [a, b, other], [a, b, c], [a]]) {
    const { items, readable, history, prompt } = known.of(responses)
    const ids = responses.map(({ response: { id } }) => `msg_${id}`)
    expect([idsOf(items), idsOf(readable), history.length]).toEqual([ids, ids, ids.length])
    expect(prompt).toMatchObject({ items: ids.length, history: ids.length })
  }
})

test('a rendering moves on with its conversation, and belongs to the one request that takes it', () => {
  const known = new KnownConversations({ clock })
  const rendered = new KnownConversation('key')
  known.of([a]).prompt?.give(rendered)
  const slow = known.of([a]).prompt
  const next = known.of([a, b]).prompt
  expect(slow?.take()).toBeUndefined()
  expect([next?.take(), next?.take()]).toEqual([rendered, undefined])
})

test('nothing is known of a conversation of which a response was deleted, nor after an hour, nor over the bound', () => {
  let now = 0
  const known = new KnownConversations({ clock: () => now, seconds: 3600, max: 1000 })
  const give = (responses: readonly FinishedResponse[]): void =>
    known.of(responses).prompt?.give(new KnownConversation('k'))
  const take = (responses: readonly FinishedResponse[]): unknown => known.of(responses).prompt?.take()
  give([a, b])
  known.forget([a, b])
  expect(take([a, b])).toBeUndefined()
  give([a, b])
  now = 3599
  expect(take([a, b])).toBeDefined()
  give([a, b])
  now = 7200
  expect(take([a, b])).toBeUndefined()
  give([a, b])
  for (let at = 0; at < 100; at++) known.of([response(`r${at}`)])
  expect(take([a, b])).toBeUndefined()
})

test('a conversation of 200,000 items is put together', () => {
  const known = new KnownConversations({ clock })
  const large = { ...a, added: Array.from({ length: 200_000 }, (_, at) => item(`msg_${at}`)) }
  expect(known.of([large]).items).toHaveLength(200_000)
})

test('responses that continue one conversation at once render it one after another, and each knows what the one before rendered', async () => {
  const known = new KnownConversations({ clock })
  const prompts = Array.from({ length: 3 }, () => known.of([a]).prompt)
  const taken: unknown[] = []
  const rendered = new KnownConversation('key')
  const render = async (prompt: (typeof prompts)[number]): Promise<void> => {
    const end = await prompt?.begin()
    taken.push(prompt?.take())
    await new Promise((resolve) => setImmediate(resolve))
    prompt?.give(rendered)
    end?.()
  }
  await Promise.all(prompts.map(render))
  expect(taken).toEqual([undefined, rendered, rendered])
})
