import { APIError } from 'openai'
import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../../src/core/diagnostics/diagnostic.js'
import { deferred } from '../../../src/endpoint/flow/deferred.js'
import { nextTurn } from '../../../src/endpoint/flow/next-turn.js'
import { costOfText } from '../../../src/endpoint/server/service/limits/memory.js'
import { createMemoryStore, type ResponseStore } from '../../../src/endpoint/stores/index.js'
import { answer, fail, think } from '../../../src/testing/index.js'
import { type Endpoint, endpoint, heldEngine, until } from './endpoint.js'

/** A server whose model says how many messages it has read. */
const counting = (options: Parameters<typeof endpoint>[1] = {}) => {
  let turn = 0
  return endpoint(() => [think('Hm.'), answer(`Answer ${++turn}`)], options)
}

const user = (content: string) => ({ type: 'message', role: 'user', content }) as const

/** The texts of a conversation's items, and the types of those without a text. */
async function textsOf({ ask }: Endpoint, id: string, query = 'order=asc&limit=100', headers = {}): Promise<string[]> {
  const { body } = await ask('GET', `/conversations/${id}/items?${query}`, undefined, headers)
  return body.data.map(({ type, content }: { type: string; content?: { text: string }[] }) =>
    type === 'message' ? content?.[0]?.text : type,
  )
}

/** What the model has read last. */
function lastPrompt({ engine }: ReturnType<typeof counting>): string {
  return (engine.calls.at(-1)?.messages ?? []).map(({ content }) => content).join('\n')
}

async function begun(served: Endpoint, body: object = {}): Promise<string> {
  return (await served.ask('POST', '/conversations', body)).body.id
}

async function refused(work: PromiseLike<unknown>): Promise<unknown> {
  const error = await Promise.resolve(work).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(APIError)
  const { status, code, param, message } = error as APIError
  return { status, code, param, message }
}

describe('a conversation', () => {
  test('is created with items and metadata, retrieved, updated and deleted by the official SDK', async () => {
    const { client } = counting({ clock: () => 1_700_000_000 })
    const { conversations } = client()
    const made = await conversations.create({ items: [user('Hi')], metadata: { topic: 'demo' } })
    const whole = { object: 'conversation', created_at: 1_700_000_000, metadata: { topic: 'demo' } }
    expect(made).toEqual({ id: expect.stringMatching(/^conv_[\da-f]{50}$/), ...whole })
    expect(await conversations.retrieve(made.id)).toEqual(made)
    const updated = { ...made, metadata: { topic: 'other', more: '' } }
    expect(await conversations.update(made.id, { metadata: { topic: 'other', more: '' } })).toEqual(updated)
    expect(await conversations.retrieve(made.id)).toEqual(updated)
    expect((await conversations.items.list(made.id)).data).toHaveLength(1)
    const deleted = { id: made.id, object: 'conversation.deleted', deleted: true }
    expect(await conversations.delete(made.id)).toEqual(deleted)
    const message = `404 Conversation with id '${made.id}' not found.`
    const missing = { status: 404, code: null, param: null, message }
    expect(await refused(conversations.retrieve(made.id))).toEqual(missing)
    expect(await refused(conversations.items.list(made.id))).toEqual(missing)
    expect(await refused(conversations.delete(made.id))).toEqual(missing)
    expect(await refused(conversations.update(made.id, { metadata: {} }))).toEqual(missing)
  })

  test('begins without a body, and without items', async () => {
    const { send, client } = counting()
    const response = await send('/v1/conversations', { method: 'POST' })
    const { id, metadata } = (await response.json()) as { id: string; metadata: object }
    expect([response.status, metadata]).toEqual([200, {}])
    const page = await client().conversations.items.list(id)
    expect(page.data).toEqual([])
  })

  test('lists its items in pages, in both orders, to the end', async () => {
    const { client } = counting()
    const { conversations } = client()
    const items = Array.from({ length: 20 }, (_, at) => user(`Message ${at}`))
    const { id } = await conversations.create({ items })
    await conversations.items.create(id, { items: [user('Message 20')] })
    const texts = async (order: 'asc' | 'desc', limit: number): Promise<string[]> => {
      const all: string[] = []
      for await (const item of conversations.items.list(id, { order, limit }))
        all.push((item as { content: { text: string }[] }).content[0]?.text ?? '')
      return all
    }
    const all = Array.from({ length: 21 }, (_, at) => `Message ${at}`)
    expect(await texts('asc', 7)).toEqual(all)
    expect(await texts('desc', 4)).toEqual(all.toReversed())
    const { data, has_more } = await conversations.items.list(id)
    expect([data.length, has_more]).toEqual([20, true])
  })

  test('gives what is added the form in which it is listed, and an id by which it is found', async () => {
    const { client } = counting()
    const { conversations } = client()
    const { id } = await conversations.create()
    const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' } as const
    const output = { type: 'function_call_output', call_id: 'c1', output: 'done' } as const
    const list = await conversations.items.create(id, { items: [user('Hi'), call, output] })
    expect([list.object, list.has_more, list.data.length]).toEqual(['list', false, 3])
    expect([list.first_id, list.last_id]).toEqual([list.data[0]?.id, list.data[2]?.id])
    const [first] = list.data
    const content = [{ type: 'input_text', text: 'Hi' }]
    expect(first).toMatchObject({ type: 'message', role: 'user', status: 'completed', content })
    for (const item of list.data)
      expect(await conversations.items.retrieve(item.id ?? '', { conversation_id: id })).toEqual(item)
    const missing = { status: 404, message: `404 Item with id 'msg_x' not found in conversation '${id}'.` }
    expect(await refused(conversations.items.retrieve('msg_x', { conversation_id: id }))).toMatchObject(missing)
    expect(await refused(conversations.items.delete('msg_x', { conversation_id: id }))).toMatchObject(missing)
  })

  test('takes an item twice under two ids', async () => {
    const { client } = counting()
    const { conversations } = client()
    const { id } = await conversations.create({ items: [{ ...user('Hi'), id: 'msg_1' } as never] })
    const { data } = await conversations.items.create(id, { items: [{ ...user('Ho'), id: 'msg_1' } as never] })
    expect(data[0]?.id).toMatch(/^msg_1_/)
    expect(await conversations.items.retrieve('msg_1', { conversation_id: id })).toMatchObject({ id: 'msg_1' })
  })

  test.each([
    ['more than 20 items', { items: Array(21).fill(user('Hi')) }, 'items', 'array_above_max_length'],
    ['no array', { items: 'Hi' }, 'items', 'invalid_type'],
    ['a wrong item', { items: [{ ...user('Hi'), role: 'nobody' }] }, 'items[0].role', 'invalid_value'],
    ['an item that is not there', { items: [{ type: 'item_reference', id: 'msg_x' }] }, 'items[0].id', null],
    ['a number as metadata', { metadata: { a: 1 } }, 'metadata.a', 'invalid_type'],
    ['a long key', { metadata: { ['k'.repeat(65)]: '' } }, 'metadata', 'property_name_above_max_length'],
    ['a long value', { metadata: { a: 'v'.repeat(513) } }, 'metadata.a', 'string_above_max_length'],
    [
      ...['17 pairs', { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`${at}`, ''])) }],
      ...['metadata', 'object_above_max_properties'],
    ],
  ] as const)('refuses %s', async (_, body, param, code) => {
    const { ask } = counting()
    const { status, body: answered } = await ask('POST', '/conversations', body)
    expect([status === 400 || status === 404, answered.error.param, answered.error.code]).toEqual([true, param, code])
  })

  test('takes 16 pairs of 64 and 512 characters', async () => {
    const { ask } = counting()
    const pairs = Array.from({ length: 16 }, (_, at) => [`${at}`.padStart(64, 'k'), 'v'.repeat(512)])
    const metadata = Object.fromEntries(pairs)
    const { body } = await ask('POST', '/conversations', { metadata })
    expect((await ask('GET', `/conversations/${body.id}`)).body.metadata).toEqual(metadata)
  })

  test('reports a field that nobody knows, or refuses it', async () => {
    const diagnostics: Diagnostic[] = []
    const served = counting({ response: { onDiagnostic: (diagnostic) => diagnostics.push(diagnostic) } })
    const id = await begun(served, { metdata: { topic: 'demo' }, items: null })
    await served.ask('POST', `/conversations/${id}`, { metadata: {}, items: [] })
    const report = { code: 'unknown_input', index: -1 }
    expect(diagnostics).toEqual(['metdata', 'items'].map((subject) => ({ ...report, subject })))
    const strict = counting({ request: { unknown: 'refuse' } })
    const { status, body } = await strict.ask('POST', '/conversations', { metdata: {} })
    expect([status, body.error.param, body.error.code]).toEqual([400, 'metdata', 'unknown_parameter'])
  })

  test('refuses a body without the parameter that it is about, and an unknown include', async () => {
    const served = counting()
    const id = await begun(served)
    for (const [path, param] of [
      [`/conversations/${id}`, 'metadata'],
      [`/conversations/${id}/items`, 'items'],
    ] as const) {
      const { status, body } = await served.ask('POST', path, {})
      expect([status, body.error.param, body.error.code]).toEqual([400, param, 'missing_required_parameter'])
    }
    const { body } = await served.ask('GET', `/conversations/${id}/items?include[]=everything`)
    expect([body.error.param, body.error.code]).toEqual(['include', 'invalid_value'])
  })
})

describe('a response of a conversation', () => {
  test('reads its items, names it, and adds its own input and output, whole, streamed and in the background', async () => {
    const served = counting()
    const { responses, conversations } = served.client()
    const { id } = await conversations.create({ items: [user('Zero')] })
    const first = await responses.create({ model: 'gpt-oss', input: 'One', conversation: id })
    expect(first.conversation).toEqual({ id })
    expect(first.previous_response_id).toBeNull()
    const stream = responses.stream({ model: 'gpt-oss', input: 'Two', conversation: { id } })
    expect((await stream.finalResponse()).conversation).toEqual({ id })
    let third = await responses.create({ model: 'gpt-oss', input: 'Three', conversation: id, background: true })
    while (third.status !== 'completed') third = await responses.retrieve(third.id)
    const turns = ['One', 'reasoning', 'Answer 1', 'Two', 'reasoning', 'Answer 2', 'Three', 'reasoning', 'Answer 3']
    expect(await textsOf(served, id)).toEqual(['Zero', ...turns])
    expect(lastPrompt(served)).toContain('Answer 2')
    const ids = (await conversations.items.list(id, { limit: 100 })).data.map((item) => item.id)
    expect(new Set(ids).size).toBe(10)
    const before = await responses.inputItems.list(third.id, { order: 'asc' })
    expect(before.data).toHaveLength(8)
  })

  test('has the very prompt of one that continues a response', async () => {
    const [named, chained] = [counting({ clock: () => 5 }), counting({ clock: () => 5 })]
    const id = await begun(named)
    let previous: string | undefined
    for (const input of ['One', 'Two', 'Three']) {
      await named.create({ input, conversation: id })
      const { body } = await chained.create({ input, ...(previous && { previous_response_id: previous }) })
      previous = body.id
    }
    expect(named.engine.calls.map(({ tokens }) => [...tokens])).toEqual(
      chained.engine.calls.map(({ tokens }) => [...tokens]),
    )
  })

  test('is sealed like any other, and listed with its sealed reasoning only if that is included', async () => {
    const served = counting()
    const id = await begun(served)
    await served.create({ input: 'Hi', conversation: id, include: ['reasoning.encrypted_content'] })
    const reasoning = async (include: string) => {
      const { body } = await served.ask('GET', `/conversations/${id}/items?order=asc${include}`)
      return body.data[1]
    }
    expect(await reasoning('')).not.toHaveProperty('encrypted_content')
    const { encrypted_content: sealed } = await reasoning('&include[]=reasoning.encrypted_content')
    expect(sealed).toEqual(expect.any(String))
    // A conversation that a client copies, with sealed reasoning of which it knows nothing else.
    const items = [{ type: 'reasoning', summary: [], encrypted_content: sealed }, user('Go on')]
    const copy = await begun(served, { items })
    await served.create({ input: 'Now', conversation: copy })
    expect(lastPrompt(served)).toContain('Hm.')
  })

  test('adds nothing if it fails, is cancelled or is refused, and what it has written if it is incomplete', async () => {
    let turn = 0
    const served = endpoint(() => (++turn === 1 ? fail(new Error('broken')) : answer('one two three four five')), {
      onError: () => {},
    })
    const id = await begun(served)
    expect((await served.create({ input: 'One', conversation: id })).status).toBe(500)
    expect(await textsOf(served, id)).toEqual([])
    expect((await served.create({ input: 'Two', conversation: id, temperature: 9 })).status).toBe(400)
    expect(await textsOf(served, id)).toEqual([])
    const { body } = await served.create({ input: 'Three', conversation: id, max_output_tokens: 5 })
    expect(body.status).toBe('incomplete')
    expect(await textsOf(served, id)).toEqual(['Three', expect.stringMatching(/^one/)])
  })

  test('adds nothing if it is cancelled', async () => {
    const engine = heldEngine(4)
    const served = endpoint(engine)
    const id = await begun(served)
    const { body } = await served.create({ input: 'Hi', conversation: id, background: true })
    await engine.asked
    expect((await served.ask('POST', `/responses/${body.id}/cancel`)).body.status).toBe('cancelled')
    expect(await textsOf(served, id)).toEqual([])
    expect((await served.ask('POST', `/conversations/${id}/items`, { items: [user('Free')] })).status).toBe(200)
  })

  test.each([
    ['with previous_response_id', { previous_response_id: 'resp_1' }, 400, 'mutually_exclusive_parameters'],
    ['with store: false', { store: false }, 400, 'invalid_value'],
    ['that is unknown', { conversation: 'conv_x' }, 404, null],
    ['that is unknown, as an object', { conversation: { id: 'conv_x' } }, 404, null],
  ])('is refused in a conversation %s', async (_, body, status, code) => {
    const served = counting()
    const conversation = await begun(served)
    const refusal = await served.create({ input: 'Hi', conversation, ...body })
    expect([refusal.status, refusal.body.error.code]).toEqual([status, code])
  })

  test('of the same key is one response, whose items are added once', async () => {
    const served = counting()
    const conversation = await begun(served)
    const headers = { 'idempotency-key': 'once' }
    const [one, two] = await Promise.all([1, 2].map(() => served.create({ input: 'Hi', conversation }, headers)))
    expect(one?.body.id).toBe(two?.body.id)
    expect(await textsOf(served, conversation)).toEqual(['Hi', 'reasoning', 'Answer 1'])
  })

  test('counts its whole conversation in input_tokens', async () => {
    const served = counting()
    const conversation = await begun(served, { items: [user('Zero')] })
    const counted = await served.ask('POST', '/responses/input_tokens', { input: 'Hi', conversation })
    const { body } = await served.create({ input: 'Hi', conversation })
    expect(counted.body.input_tokens).toBe(body.usage.input_tokens)
  })
})

describe('two responses of one conversation', () => {
  const locked = { status: 409, code: 'conversation_locked', param: 'conversation' }

  test('the second is refused while the first runs, and so is every other change', async () => {
    const engine = heldEngine(4)
    const served = endpoint(engine)
    const { responses, conversations } = served.client()
    const { id } = await conversations.create({ items: [user('Zero')] })
    const [zero] = (await conversations.items.list(id)).data
    const { id: running } = await responses.create({ input: 'One', conversation: id, background: true })
    await engine.asked
    expect(await refused(responses.create({ input: 'Two', conversation: id }))).toMatchObject(locked)
    expect(await refused(conversations.items.create(id, { items: [user('Two')] }))).toMatchObject(locked)
    expect(await refused(conversations.items.delete(zero?.id ?? '', { conversation_id: id }))).toMatchObject(locked)
    expect(await textsOf(served, id)).toEqual(['Zero'])
    expect(await conversations.update(id, { metadata: { a: 'b' } })).toMatchObject({ metadata: { a: 'b' } })
    await responses.delete(running)
    expect((await conversations.items.create(id, { items: [user('Three')] })).data).toHaveLength(1)
    expect(await textsOf(served, id)).toEqual(['Zero', 'Three'])
  })

  test('one of ten at the same time gets through', async () => {
    const served = endpoint(heldEngine())
    const conversation = await begun(served)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => served.create({ input: `${at}`, conversation, background: true })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
    await served.drain(AbortSignal.abort())
  })

  test('each of ten waits for its turn, and none loses an item', async () => {
    const served = counting({ limits: { conversationSeconds: 60 } })
    const conversation = await begun(served)
    const all = Array.from({ length: 10 }, (_, at) => `${at}`)
    const answers = await Promise.all(
      all.map((input) =>
        Number(input) % 3 === 0
          ? served.ask('POST', `/conversations/${conversation}/items`, { items: [user(input)] })
          : served.create({ input, conversation }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    const texts = await textsOf(served, conversation)
    expect(texts.filter((text) => /^\d$/.test(text)).sort()).toEqual(all)
    for (const [at, text] of texts.entries())
      if (text === 'reasoning')
        expect([texts[at - 1], texts[at + 1]]).toEqual([/^\d$/, /^Answer/].map((each) => expect.stringMatching(each)))
  })

  test('the second waits no longer than the limit says, and no more wait than that allows', async () => {
    const engine = heldEngine(4)
    const served = endpoint(engine, { limits: { conversationSeconds: 1, conversationWaits: 1 } })
    const conversation = await begun(served)
    await served.create({ input: 'One', conversation, background: true })
    await engine.asked
    const began = performance.now()
    const refusals = await Promise.all([1, 2].map(() => served.create({ input: 'Two', conversation })))
    expect(refusals.map(({ status }) => status)).toEqual([409, 409])
    expect(performance.now() - began).toBeGreaterThan(900)
  })

  test('each that waits holds its memory, also after another one was faster', async () => {
    const store = createMemoryStore()
    const all = deferred<void>()
    let [opened, refused] = [0, 0]
    const engine = heldEngine(4)
    const served = endpoint(engine, {
      limits: { conversationSeconds: 600 },
      store: {
        ...store,
        async open(response) {
          if (response.responseId.startsWith('resp_')) {
            opened += 1
            if (opened === 5) all.resolve()
            await all.promise
          }
          const opening = await store.open(response)
          if (opening.state === 'moved') refused += 1
          return opening
        },
      },
    })
    const conversation = await begun(served)
    const body = JSON.stringify({ input: 'x'.repeat(100_000), conversation })
    const leaving = new AbortController()
    const init = { method: 'POST', body, signal: leaving.signal }
    const waiting = Array.from({ length: 5 }, () => served.send('/v1/responses', init).catch(() => 'left'))
    await until(() => refused === 4)
    for (let turn = 0; turn < 10; turn++) await nextTurn()
    expect(served.service.memory.used).toBeGreaterThan(5 * costOfText(100_000))
    leaving.abort()
    await Promise.all(waiting)
    const { queue, response } = served.service.memory.by
    expect(queue + response).toBe(0)
  })

  test('one whose client leaves while it waits adds nothing', async () => {
    const engine = heldEngine(4)
    const served = endpoint(engine, { limits: { conversationSeconds: 600 } })
    const conversation = await begun(served)
    const { body } = await served.create({ input: 'One', conversation, background: true })
    await engine.asked
    const leaving = new AbortController()
    const init = { method: 'POST', body: JSON.stringify({ input: 'Two', conversation }), signal: leaving.signal }
    const waiting = served.send('/v1/responses', init).catch(() => 'left')
    await until(() => served.service.memory.used > 0)
    leaving.abort()
    await waiting
    await served.ask('DELETE', `/responses/${body.id}`)
    expect(await textsOf(served, conversation)).toEqual([])
  })
})

describe('deletion', () => {
  test('of an item after a response that was deleted leaves nothing that was added before, once all is deleted', async () => {
    const store = createMemoryStore()
    const served = counting({ store })
    const conversation = await begun(served, { items: [user('Zero')] })
    const ids: string[] = []
    for (const input of ['One', 'Two']) ids.push((await served.create({ input, conversation })).body.id)
    const { body: list } = await served.ask('GET', `/conversations/${conversation}/items?order=asc`)
    expect((await served.ask('DELETE', `/responses/${ids[0]}`)).status).toBe(200)
    expect((await served.ask('DELETE', `/conversations/${conversation}/items/${list.data[4].id}`)).status).toBe(200)
    expect(await textsOf(served, conversation)).toEqual([
      'Zero',
      'One',
      'reasoning',
      'Answer 1',
      'reasoning',
      'Answer 2',
    ])
    await served.ask('DELETE', `/conversations/${conversation}`)
    await served.ask('DELETE', `/responses/${ids[1]}`)
    expect(await store.findItem(list.data[0].id, 'anonymous')).toBeUndefined()
    expect(store.memory.bytes).toBe(0)
  })

  test('an item that was removed is read and listed no more, and the others stay in order', async () => {
    const served = counting()
    const conversation = await begun(served, { items: [user('Secret'), user('Zero')] })
    await served.create({ input: 'One', conversation })
    await served.create({ input: 'Two', conversation })
    const { body: list } = await served.ask('GET', `/conversations/${conversation}/items?order=asc`)
    const removed = await served.ask('DELETE', `/conversations/${conversation}/items/${list.data[0].id}`)
    expect(removed.body).toMatchObject({ id: conversation, object: 'conversation' })
    const rest = ['Zero', 'One', 'reasoning', 'Answer 1', 'Two', 'reasoning', 'Answer 2']
    expect(await textsOf(served, conversation)).toEqual(rest)
    await served.ask('DELETE', `/conversations/${conversation}/items/${list.data[4].id}`)
    rest.splice(3, 1)
    expect(await textsOf(served, conversation)).toEqual(rest)
    await served.create({ input: 'Three', conversation })
    expect(lastPrompt(served)).not.toMatch(/Secret|Answer 1/)
    expect(lastPrompt(served)).toContain('Answer 2')
    expect(await textsOf(served, conversation)).toEqual([...rest, 'Three', 'reasoning', 'Answer 3'])
  })

  test('the item of a removed step is in the store no more', async () => {
    const store = createMemoryStore()
    const served = counting({ store })
    const conversation = await begun(served)
    const { body } = await served.ask('POST', `/conversations/${conversation}/items`, { items: [user('Secret')] })
    const [{ id }] = body.data
    expect(await store.findItem(id, 'anonymous')).toBeDefined()
    await served.ask('DELETE', `/conversations/${conversation}/items/${id}`)
    expect(await store.findItem(id, 'anonymous')).toBeUndefined()
    expect(await textsOf(served, conversation)).toEqual([])
  })

  test('a deleted response is not found, and what it added stays in the conversation', async () => {
    const served = counting()
    const conversation = await begun(served)
    const ids: string[] = []
    for (const input of ['One', 'Two']) ids.push((await served.create({ input, conversation })).body.id)
    for (const id of ids.toReversed()) {
      expect((await served.ask('DELETE', `/responses/${id}`)).status).toBe(200)
      expect((await served.ask('GET', `/responses/${id}`)).status).toBe(404)
    }
    const turns = ['One', 'reasoning', 'Answer 1', 'Two', 'reasoning', 'Answer 2']
    expect(await textsOf(served, conversation)).toEqual(turns)
    await served.create({ input: 'Three', conversation })
    const { body: list } = await served.ask('GET', `/conversations/${conversation}/items?order=asc`)
    await served.ask('DELETE', `/conversations/${conversation}/items/${list.data[5].id}`)
    turns.splice(5, 1)
    expect(await textsOf(served, conversation)).toEqual([...turns, 'Three', 'reasoning', 'Answer 3'])
  })

  test('a deleted conversation leaves its responses, and nothing of what was added to it', async () => {
    const store = createMemoryStore()
    const served = counting({ store })
    const conversation = await begun(served, { items: [user('Zero')] })
    const { body: list } = await served.ask('GET', `/conversations/${conversation}/items`)
    const { body: response } = await served.create({ input: 'One', conversation })
    await served.ask('POST', `/conversations/${conversation}/items`, { items: [user('Two')] })
    await served.ask('DELETE', `/conversations/${conversation}`)
    expect((await served.ask('GET', `/responses/${response.id}`)).status).toBe(200)
    expect((await served.create({ input: 'Three', conversation })).status).toBe(404)
    await served.ask('DELETE', `/responses/${response.id}`)
    expect(await store.findItem(list.data[0].id, 'anonymous')).toBeUndefined()
  })
})

describe('another owner', () => {
  test('finds no conversation and no item of it, and can change nothing', async () => {
    const served = counting()
    const [alice, bob] = ['alice', 'bob'].map((name) => ({ authorization: `Bearer ${name}` }))
    const { body } = await served.ask('POST', '/conversations', { items: [user('Zero')] }, alice)
    const { body: list } = await served.ask('GET', `/conversations/${body.id}/items`, undefined, alice)
    const path = `/conversations/${body.id}`
    const item = `${path}/items/${list.data[0].id}`
    for (const [method, at, sent] of [
      ['GET', path],
      ['POST', path, { metadata: { a: 'b' } }],
      ['DELETE', path],
      ['GET', `${path}/items`],
      ['POST', `${path}/items`, { items: [user('Mine')] }],
      ['GET', item],
      ['DELETE', item],
      ['POST', '/responses', { input: 'Hi', conversation: body.id }],
      ['POST', '/responses/input_tokens', { input: 'Hi', conversation: body.id }],
    ] as const) {
      const { status, body: refusal } = await served.ask(method, at, sent, bob)
      expect([status, refusal.error.message]).toEqual([404, `Conversation with id '${body.id}' not found.`])
    }
    expect(await textsOf(served, body.id, 'order=asc', alice)).toEqual(['Zero'])
    expect(served.engine.calls).toEqual([])
  })
})

describe('limits', () => {
  test.each([
    ['conversationItems', { conversationItems: 3 }, 'items; at most 3'],
    ['conversationCharacters', { conversationCharacters: 400 }, 'characters; at most 400'],
  ])('a conversation takes no more than %s', async (name, limits, what) => {
    const served = counting({ limits })
    const conversation = await begun(served, { items: [user('Zero')] })
    const long = [user('x'.repeat(300)), user('x'), user('x')]
    for (const { status, body } of [
      await served.ask('POST', '/conversations', { items: [...long, user('x')] }),
      await served.ask('POST', `/conversations/${conversation}/items`, { items: long }),
      await served.create({ input: long, conversation }),
    ]) {
      expect([status, body.error.code]).toEqual([400, 'conversation_full'])
      expect(body.error.message).toContain(what)
      expect(body.error.message).toContain(name)
    }
    expect(await textsOf(served, conversation)).toEqual(['Zero'])
  })

  test('a store without conversations gets a clear answer', async () => {
    const { conversations: _, ...store } = createMemoryStore() as ResponseStore & { conversations: unknown }
    const served = counting({ store })
    const message = 'The store of this server keeps no conversations.'
    for (const [method, path, body] of [
      ['POST', '/conversations', {}],
      ['GET', '/conversations/conv_1'],
      ['POST', '/conversations/conv_1/items', { items: [] }],
      ['DELETE', '/conversations/conv_1/items/msg_1'],
    ] as const) {
      const { status, body: refusal } = await served.ask(method, path, body)
      expect([status, refusal.error.message]).toEqual([404, message])
    }
    const { status, body } = await served.create({ input: 'Hi', conversation: 'conv_1' })
    expect([status, body.error.code]).toEqual([400, 'unsupported_parameter'])
    expect(body.error.message).toContain(message)
  })
})
