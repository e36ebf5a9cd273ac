import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../src/endpoint/stores/index.js'
import { checkEvents } from '../../../src/judge/conformance/index.js'
import { answer, call, hang, think } from '../../../src/testing/index.js'
import { sdkTypes } from '../../support/openai-sdk.js'
import { typeOracle } from '../../support/type-oracle.js'
import { type Event, endpoint, heldEngine, readUntil, until } from './endpoint.js'

const bearer = (owner: string): Record<string, string> => ({ authorization: `Bearer ${owner}` })

describe('a response in the background', () => {
  test('a response in the background is answered at once, and is in progress until it ends', async () => {
    const { create, ask, engine } = endpoint(heldEngine(5))
    const { body } = await create({ input: 'Hi', background: true })
    expect(body).toMatchObject({ status: 'in_progress', background: true })
    await until(() => engine.sampled === 5)
    const snapshot = (await ask('GET', `/responses/${body.id}`)).body
    expect(snapshot).toMatchObject({ id: body.id, status: 'in_progress' })
    expect(snapshot.output[0].content[0].text).toMatch(/^a*$/)
    const { body: cancelled } = await ask('POST', `/responses/${body.id}/cancel`)
    expect(cancelled).toMatchObject({ id: body.id, status: 'cancelled', error: null })
  })

  test('the SDK retrieves a response in the background, with its stream from where the client was', async () => {
    const { client } = endpoint([[think('Hm.'), answer('A somewhat longer answer.')]])
    const { id } = await client().responses.create({ model: 'gpt-oss', input: 'Hi', background: true })
    const all: number[] = []
    for await (const event of await client().responses.retrieve(id, { stream: true })) all.push(event.sequence_number)
    const rest: number[] = []
    const stream = await client().responses.retrieve(id, { stream: true, starting_after: 3 })
    for await (const event of stream) rest.push(event.sequence_number)
    expect(rest).toEqual(all.slice(4))
    expect((await client().responses.retrieve(id)).status).toBe('completed')
  })

  test('a response in the background can be streamed by its creator, also a second time', async () => {
    const { send, stream, engine, ask } = endpoint(heldEngine(6))
    const response = await send('/v1/responses', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-oss', input: 'Hi', background: true, stream: true }),
    })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const text = await readUntil(reader, 'response.output_text.delta')
    await reader.cancel()
    const id = /"id":"(resp_\w+)"/.exec(text)?.[1] ?? ''
    const last = [...text.matchAll(/"sequence_number":(\d+)/g)].length - 1
    const rest = stream(`/responses/${id}?stream=true&starting_after=${last}`)
    engine.step(2)
    await ask('POST', `/responses/${id}/cancel`)
    expect((await rest)[0]?.sequence_number).toBe(last + 1)
    expect((await rest).at(-1)?.type).toBe('response.incomplete')
  })

  test('a cancelled response is the same object in its answer, in each stream, live or stored, and when retrieved', async () => {
    const { create, stream, engine, ask } = endpoint(heldEngine(6))
    const { id } = (await create({ input: 'Hi', background: true })).body
    const live = stream(`/responses/${id}?stream=true`)
    await until(() => engine.sampled === 6)
    const { body } = await ask('POST', `/responses/${id}/cancel`)
    expect(body).toMatchObject({ status: 'cancelled', error: null, incomplete_details: null })
    const stored = await stream(`/responses/${id}?stream=true`)
    const resumed = await stream(`/responses/${id}?stream=true&starting_after=3`)
    for (const events of [await live, stored, resumed]) {
      expect(events.at(-1)).toMatchObject({ type: 'response.incomplete', response: body })
    }
    expect(checkEvents(stored)).toEqual([])
    expect((await ask('GET', `/responses/${id}`)).body).toEqual(body)
  })

  test('a response in the background is cancelled once, and one that has ended stays as it is', async () => {
    const { create, ask } = endpoint([hang(), answer('Done.')])
    const { body } = await create({ input: 'Hi', background: true })
    const cancel = (id: string): ReturnType<typeof ask> => ask('POST', `/responses/${id}/cancel`)
    const both = await Promise.all([cancel(body.id), cancel(body.id)])
    expect(both.map(({ body }) => body.status)).toEqual(['cancelled', 'cancelled'])
    expect((await cancel(body.id)).body.status).toBe('cancelled')
    const other = await create({ input: 'Hi', background: true })
    await until(() => true)
    for (;;) if ((await ask('GET', `/responses/${other.body.id}`)).body.status === 'completed') break
    expect((await cancel(other.body.id)).body.status).toBe('completed')
  })

  test('a response in the background that is deleted while it runs stops, and its readers end', async () => {
    const { create, ask, engine, errors, send } = endpoint(heldEngine(6))
    const { body } = await create({ input: 'Hi', background: true })
    const response = await send(`/v1/responses/${body.id}?stream=true`)
    const reader = response.text()
    expect((await ask('DELETE', `/responses/${body.id}`)).body.deleted).toBe(true)
    await engine.stopped
    expect(await reader).toMatch(/event: response.incomplete\ndata: .*"status":"cancelled"/)
    expect((await ask('GET', `/responses/${body.id}`)).status).toBe(404)
    expect(errors).toEqual([])
  })

  test('a response in the background is kept, so it cannot be store: false', async () => {
    const { create } = endpoint([])
    const { status, body } = await create({ input: 'Hi', background: true, store: false })
    expect([status, body.error.param]).toEqual([400, 'background'])
  })
})

test('a response that is not in the background cannot be cancelled', async () => {
  const { create, ask } = endpoint([answer('Hi')])
  const { body } = await create({ input: 'Hi' })
  expect((await ask('POST', `/responses/${body.id}/cancel`)).status).toBe(400)
})

test('a response is deleted while its client has stopped reading, and the deletion does not wait for it', async () => {
  const { send, ask, engine } = endpoint(heldEngine(1000))
  const response = await send('/v1/responses', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-oss', input: 'Hi', stream: true }),
  })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const id = /"id":"(resp_\w+)"/.exec(await readUntil(reader, 'response.output_text.delta'))?.[1]
  expect((await ask('DELETE', `/responses/${id}`)).status).toBe(200)
  await engine.stopped
  let last = ''
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    last = new TextDecoder().decode(step.value)
  }
  expect(last).toMatch(/event: response.incomplete\ndata: .*"status":"cancelled"/)
})

describe('GET with stream', () => {
  const tools = [{ type: 'function', name: 'weather', parameters: {}, strict: false }]

  test('GET with stream and starting_after gives exactly the rest, wherever the client was', async () => {
    const { create, stream } = endpoint([[think('Let me see.'), call('functions.weather', { city: 'Rome' })]])
    const { body } = await create({ input: 'Hi', tools })
    const all = await stream(`/responses/${body.id}?stream=true`)
    await fc.assert(
      fc.asyncProperty(fc.nat(all.length - 1), async (after) => {
        const rest = await stream(`/responses/${body.id}?stream=true&starting_after=${after}`)
        expect(rest).toEqual(all.slice(after + 1))
      }),
    )
    expect(all.map(({ sequence_number }) => sequence_number)).toEqual(all.map((_, index) => index))
  })

  test('GET with stream gives the events that the creator got', async () => {
    const { stream } = endpoint([[think('Let me see.'), answer('So.')]])
    const first: Event[] = await stream('/responses', { input: 'Hi' })
    expect(await stream(`/responses/${first[0]?.response.id}?stream=true`)).toEqual(first)
  })

  test.each([
    ['starting_after=999', 400],
    ['starting_after=-1', 400],
    ['starting_after=1e1', 400],
    ['starting_after=', 400],
    ['starting_after=0x1', 400],
    ['starting_after=99999999999999999999', 400],
    ['starting_after=%00', 400],
    ['starting_after=0&starting_after=1', 200],
  ])('GET with stream and %s is answered with %i', async (query, status) => {
    const { create, send } = endpoint([answer('Hi')])
    const { body } = await create({ input: 'Hi' })
    expect((await send(`/v1/responses/${body.id}?stream=true&${query}`)).status).toBe(status)
  })

  test('GET with stream is refused when the events are not kept any more, though the response is', async () => {
    const { create, ask } = endpoint(() => answer('Hi'), { store: createMemoryStore({ entries: 8 }) })
    const { body } = await create({ input: 'Hi' })
    await create({ input: 'Hi' })
    const gone = await ask('GET', `/responses/${body.id}?stream=true`)
    expect([gone.status, gone.body.error.param]).toEqual([400, 'stream'])
    expect((await ask('GET', `/responses/${body.id}`)).body.status).toBe('completed')
  })
})

describe('an Idempotency-Key', () => {
  const key = { 'idempotency-key': 'key-1' }

  test('an Idempotency-Key gives the same response to the same request, and calls the model once', async () => {
    const { create, stream, engine } = endpoint(() => answer('Hi'))
    const first = await create({ input: 'Hi', metadata: { a: '1', b: '2' } }, key)
    const again = await create({ metadata: { b: '2', a: '1' }, input: 'Hi' }, key)
    expect(again.body).toEqual(first.body)
    expect(engine.calls).toHaveLength(1)
    expect((await stream('/responses', { input: 'Hi' })).length).toBeGreaterThan(5)
  })

  test('an Idempotency-Key joins a request to one that is running', async () => {
    const { create, send, engine } = endpoint(heldEngine(6))
    const body = JSON.stringify({ model: 'gpt-oss', input: 'Hi', stream: true })
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...key }, body }
    const readers = await Promise.all(
      [1, 2].map(async () => ((await send('/v1/responses', init)).body as ReadableStream<Uint8Array>).getReader()),
    )
    const texts = await Promise.all(readers.map((reader) => readUntil(reader, 'response.output_text.delta')))
    const ids = texts.map((text) => /"id":"(resp_\w+)"/.exec(text)?.[1])
    expect(ids[0]).toBe(ids[1])
    expect((await create({ input: 'Other' }, key)).status).toBe(422)
    await Promise.all(readers.map((reader) => reader.cancel()))
    await engine.stopped
  })

  test('a response joined by an Idempotency-Key continues when the first client leaves, and stops when the last one does', async () => {
    const { send, engine } = endpoint(heldEngine(6))
    const body = JSON.stringify({ model: 'gpt-oss', input: 'Hi', stream: true })
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...key }, body }
    const open = async (): Promise<ReadableStreamDefaultReader<Uint8Array>> =>
      ((await send('/v1/responses', init)).body as ReadableStream<Uint8Array>).getReader()
    const [first, second] = [await open(), await open()]
    await Promise.all([first, second].map((reader) => readUntil(reader, 'response.output_text.delta')))
    await first.cancel()
    engine.step(3)
    await until(() => engine.sampled === 9)
    const more = await second.read()
    expect(new TextDecoder().decode(more.value)).toContain('response.output_text.delta')
    await second.cancel()
    await engine.stopped
    expect(engine.sampled).toBe(9)
  })

  test('an Idempotency-Key joins a request to one that waits for its turn', async () => {
    const held = heldEngine(6)
    const { create, send, service } = endpoint(held, { limits: { concurrency: 1 } })
    const first = await send('/v1/responses', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-oss', input: 'Hi', stream: true }),
    })
    const waiting = [1, 2, 3].map(() => create({ input: 'Hi', background: true }, key))
    await until(() => service.load.waiting > 0)
    await first.body?.cancel()
    const answers = await Promise.all(waiting)
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  })

  test('an Idempotency-Key is for one body: another one is refused with 422', async () => {
    const { create } = endpoint(() => answer('Hi'))
    await create({ input: 'Hi' }, key)
    const { status, body } = await create({ input: 'Hi!' }, key)
    expect([status, body.error.code]).toEqual([422, 'idempotency_key_reused'])
  })

  test('an Idempotency-Key whose first request is refused is for the body of the next one, which waited for it', async () => {
    const { create, ask, service } = endpoint(heldEngine(6), { limits: { concurrency: 1 } })
    const { body } = await create({ input: 'Hi', background: true })
    const first = create({ input: 'Hi', previous_response_id: 'resp_none' }, key)
    await until(() => service.load.waiting > 0)
    const next = create({ input: 'Hi', background: true }, key)
    // Long enough for any answer that does not wait.
    const waits = new Promise((resolve) => setTimeout(resolve, 50, 'waits'))
    expect(await Promise.race([next, waits])).toBe('waits')
    await ask('POST', `/responses/${body.id}/cancel`)
    expect([(await first).status, (await next).status]).toEqual([400, 200])
  })

  test('an Idempotency-Key is free again if its request was refused', async () => {
    const { create } = endpoint(() => answer('Hi'))
    expect((await create({ input: 'Hi', previous_response_id: 'resp_none' }, key)).status).toBe(400)
    expect((await create({ input: 'Hi' }, key)).status).toBe(200)
  })

  test('an Idempotency-Key is free again if its response was cancelled because its client left', async () => {
    const { create, send, engine, service } = endpoint(heldEngine(6))
    const response = await send('/v1/responses', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...key },
      body: JSON.stringify({ model: 'gpt-oss', input: 'Hi', stream: true }),
    })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const text = await readUntil(reader, 'response.output_text.delta')
    await reader.cancel()
    await engine.stopped
    await until(() => service.load.running === 0)
    const again = await create({ input: 'Hi', background: true }, key)
    expect(again.body.status).toBe('in_progress')
    expect(text).not.toContain(again.body.id)
  })

  test('an Idempotency-Key is free again if its server stopped before the end', async () => {
    const store = createMemoryStore()
    const { create, drain } = endpoint(heldEngine(6), { store })
    const first = await create({ input: 'Hi', background: true }, key)
    await drain(AbortSignal.abort())
    const again = await endpoint(() => answer('Hi'), { store }).create({ input: 'Hi', background: true }, key)
    expect([first.status, again.status]).toEqual([200, 200])
    expect(again.body.id).not.toBe(first.body.id)
  })

  test('an Idempotency-Key belongs to its owner', async () => {
    const { create } = endpoint(() => answer('Hi'))
    const ann = await create({ input: 'Hi' }, { ...key, ...bearer('ann') })
    const bob = await create({ input: 'Hello' }, { ...key, ...bearer('bob') })
    expect([ann.status, bob.status]).toEqual([200, 200])
    expect(ann.body.id).not.toBe(bob.body.id)
  })

  test('an Idempotency-Key works with store: false, and then nothing else finds the response', async () => {
    const { create, ask, engine } = endpoint(() => answer('Hi'))
    const first = await create({ input: 'Hi', store: false }, key)
    const again = await create({ input: 'Hi', store: false }, key)
    expect([again.body.id, engine.calls.length]).toEqual([first.body.id, 1])
    expect((await ask('GET', `/responses/${first.body.id}`)).status).toBe(404)
  })

  test('an Idempotency-Key gives the response also when its events are not kept any more', async () => {
    const { create } = endpoint(() => answer('Hi'), { store: createMemoryStore({ entries: 8 }) })
    const first = await create({ input: 'Hi' }, key)
    await create({ input: 'Other' })
    expect((await create({ input: 'Hi' }, key)).body).toEqual(first.body)
  })

  test.each([
    ['empty', ''],
    ['of a megabyte', 'k'.repeat(2 ** 20)],
  ])('an Idempotency-Key that is %s is refused', async (_, value) => {
    const { create, engine } = endpoint(() => answer('Hi'))
    const { status, body } = await create({ input: 'Hi' }, { 'idempotency-key': value })
    expect([status, body.error.param, engine.calls.length]).toEqual([400, 'Idempotency-Key', 0])
    expect(JSON.stringify(body).length).toBeLessThan(500)
  })
})

describe('input_items', () => {
  const { create, ask } = endpoint(() => answer('Hi'))
  const input = Array.from({ length: 25 }, (_, index) => ({ role: 'user', content: `${index}` }))
  const textsOf = (page: { data: readonly { content: readonly { text: string }[] }[] }): string[] =>
    page.data.map(({ content }) => content[0]?.text ?? '')

  test('input_items come in pages, the latest first, each item once', async () => {
    const { body } = await create({ input })
    const seen: string[] = []
    let after = ''
    for (;;) {
      const page = (await ask('GET', `/responses/${body.id}/input_items?limit=10${after}`)).body
      seen.push(...textsOf(page))
      expect([page.first_id, page.last_id]).toEqual([page.data[0].id, page.data.at(-1).id])
      if (!page.has_more) break
      after = `&after=${page.last_id}`
    }
    expect(seen).toEqual(input.map(({ content }) => content).toReversed())
  })

  test('input_items come in their own order where asked, 20 of them by default, with those of earlier responses', async () => {
    const first = await create({ input: 'First' })
    const { body } = await create({ input, previous_response_id: first.body.id })
    const page = (await ask('GET', `/responses/${body.id}/input_items?order=asc`)).body
    expect(textsOf(page).slice(0, 4)).toEqual(['First', 'Hi', '0', '1'])
    expect([page.data.length, page.has_more, page.object]).toEqual([20, true, 'list'])
  })

  test('the SDK walks through input_items', async () => {
    const served = endpoint(() => answer('Hi'))
    const { id } = await served.client().responses.create({ model: 'gpt-oss', input: input as never })
    const seen: unknown[] = []
    for await (const item of served.client().responses.inputItems.list(id, { limit: 7, order: 'asc' })) seen.push(item)
    expect(seen).toHaveLength(25)
  })

  test('input_items are whole items of openai, also those that were sent in short forms', async () => {
    const isItem = typeOracle(sdkTypes('resources/responses/responses'), 'ResponseItem')
    const input = [
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: 'Be kind.' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
      { role: 'assistant', content: [{ type: 'output_text', text: 'Hello', annotations: null }] },
      { role: 'assistant', content: [{ type: 'input_text', text: 'Hello' }] },
      { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
      { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'done' },
      { type: 'custom_tool_call', call_id: 'call_2', name: 'g', input: 'x' },
      { type: 'custom_tool_call_output', call_id: 'call_2', output: 'done' },
      { type: 'reasoning', summary: [] },
      { role: 'user', content: 'Go on' },
    ]
    const { body } = await create({ input })
    const { data } = (await ask('GET', `/responses/${body.id}/input_items?order=asc`)).body
    expect(data.filter((item: unknown) => !isItem(item))).toEqual([])
    const text = (of: string, more: object = {}): object[] => [{ type: 'input_text', text: of, ...more }]
    const said = [{ type: 'output_text', text: 'Hello', annotations: [], logprobs: [] }]
    expect(data.slice(0, 7).map(({ content }: { content: unknown }) => content)).toEqual([
      ...[text('Be brief.'), text('Be kind.'), text('Hi'), said, said, said, text('Hi')],
    ])
    expect(data.map(({ type }: { type: string }) => type).slice(0, 4)).toEqual(Array(4).fill('message'))
  })

  test.each(['limit=0', 'limit=101', 'limit=x', 'order=up', 'after=msg_none'])(
    'input_items refuse %s',
    async (query) => {
      const { body } = await create({ input: 'Hi' })
      const refused = await ask('GET', `/responses/${body.id}/input_items?${query}`)
      expect([refused.status, refused.body.error.param]).toEqual([400, query.split('=')[0]])
    },
  )
})
