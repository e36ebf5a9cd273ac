import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Entry } from '../../../src/endpoint/journal/entry.js'
import {
  type Append,
  createMemoryStore,
  type Lease,
  type NewResponse,
  type ResponseStore,
} from '../../../src/endpoint/stores/index.js'
import type { Tool } from '../../../src/endpoint/tools/tool.js'
import { answer, call, scriptedEngine, think } from '../../../src/testing/index.js'
import { runs } from '../../support/runs.js'
import { block, entriesNow } from '../stores/kept.js'
import { type Endpoint, type Event, endpoint, eventsIn, heldEngine, JSON_TYPE, readUntil, until } from './endpoint.js'
import { connect, create as message, serve, textOf } from './web-socket/sockets.js'

const broken = new Error('redis://user:pass@10.0.0.1 is gone')

interface Failure {
  readonly method: 'append' | 'entries'
  /** Whether only appends count that end a response. Default: false. */
  readonly isEnd?: boolean
  /** How many calls of the method come before it. Default: none. */
  readonly after?: number
  /** How many calls fail. Default 1. */
  readonly times?: number
  /** Whether they succeed in the store, so that only their answers are lost. Default: false. */
  readonly isDone?: boolean
  /** Whether nothing can be written from then on. Default: false. */
  readonly isLast?: boolean
}

/** A store in memory whose calls fail when a test says so. */
interface FlakyStore extends ResponseStore {
  failing: Failure | undefined
  /** Whether nothing can be written. */
  isDown: boolean
  appends: number
  /** Whether nothing can be read either. */
  isGone: boolean
  /** The ids that were opened. */
  readonly ids: string[]
}

const WRITES: readonly string[] = ['open', 'append', 'claim']

const METHODS = [
  ...WRITES,
  'find',
  'lineage',
  'findItem',
  'findKey',
  'entries',
  'delete',
  'expired',
  'consumeApprovals',
] as (keyof ResponseStore)[]

function flakyStore(given?: Failure): FlakyStore {
  const real = createMemoryStore()
  let calls = 0
  const store = { failing: given, isDown: false, isGone: false, appends: 0, ids: [] } as unknown as FlakyStore
  Object.assign(store, { durability: real.durability, memory: real.memory })
  for (const method of METHODS) {
    const run = real[method] as (...all: unknown[]) => Promise<unknown>
    Object.assign(store, {
      async [method](...all: unknown[]): Promise<unknown> {
        if (store.isGone || (store.isDown && WRITES.includes(method))) throw broken
        if (method === 'append') store.appends += 1
        if (method === 'open') store.ids.push((all[0] as NewResponse).responseId)
        const { isEnd = false, after = 0, times = 1, isDone = false, isLast = false } = store.failing ?? {}
        if (store.failing?.method !== method) return await run(...all)
        if (isEnd && (all[0] as readonly Append[]).every(({ end }) => end === undefined)) return await run(...all)
        calls += 1
        if (calls <= after || calls > after + times) return await run(...all)
        if (isDone) await run(...all)
        store.isDown = isLast
        throw broken
      },
    })
  }
  return store
}

const TERMINAL: readonly string[] = ['response.completed', 'response.incomplete', 'response.failed']

/** The part of a stream that a client reads, and whether it was cut off. */
async function read(
  { send }: Pick<Endpoint, 'send'>,
  body?: object,
  path = '/v1/responses',
): Promise<[Event[], boolean]> {
  const init = body && { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ stream: true, ...body }) }
  const { body: stream } = await send(path, init ?? {})
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const part of stream as unknown as AsyncIterable<Uint8Array>)
      text += decoder.decode(part, { stream: true })
  } catch {
    return [partOf(text), true]
  }
  return [eventsIn(text), false]
}

const NO_STORE = {
  code: 'server_is_overloaded',
  message: 'The server cannot reach its storage. Please try again later.',
}

/** The events of a stream that was cut off, without the judge's check. */
const partOf = (text: string): Event[] =>
  Array.from(text.matchAll(/^data: (.*)$/gm), ([, data = '']) => JSON.parse(data) as Event)

const ENDS: readonly string[] = ['end', 'fail', 'abort']

/** All entries of a finished response. */
async function entriesOf(store: ResponseStore, id: string, count: number = Number.POSITIVE_INFINITY): Promise<Entry[]> {
  return [...((await entriesNow(store, id, 'anonymous', count)) ?? [])]
}

const tool: Tool = { answers: ({ type }) => type === 'mcp_call', run: async () => ({ output: 'found' }) }
const script = (): ReturnType<typeof scriptedEngine> =>
  scriptedEngine([
    [think('Hm.'), call('docs.search', { q: 'x' })],
    [think('So.'), answer('Found it.')],
  ])
const asking = { input: 'Hi', tools: [{ type: 'mcp', server_label: 'docs', allowed_tools: ['search'] }] }

describe('a store that fails once in mid-response', () => {
  test.each(['stop', 'finish'] as const)(
    'any append that fails once ends the stream by one terminal event, and GET says the same, with onDisconnect %s',
    async (onDisconnect) => {
      const served = (store: FlakyStore): Endpoint =>
        endpoint(script(), { store, onDisconnect, tools: [tool], response: { policy: 'openai' } })
      const whole = flakyStore()
      const [wholeEvents] = await read(served(whole), asking)
      expect(wholeEvents.at(-1)?.type).toBe('response.completed')
      const last = whole.appends - 1
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: last }), fc.boolean(), async (after, isDone) => {
          const store = flakyStore({ method: 'append', after, isDone })
          const one = served(store)
          const [events, isCut] = await read(one, asking)
          expect(isCut).toBe(false)
          expect(events.filter(({ type }) => TERMINAL.includes(type))).toHaveLength(1)
          // The last append is the end itself: written at the second try, it is the end.
          const status = after === last ? 'completed' : 'failed'
          const response = events.at(-1)?.response
          expect([events.at(-1)?.type, response.status]).toEqual([`response.${status}`, status])
          expect((await one.ask('GET', `/responses/${response.id}`)).body).toEqual(response)
          expect(await one.stream(`/responses/${response.id}?stream=true`)).toEqual(events)
          expect([one.errors, one.service.load]).toEqual([[broken], { running: 0, waiting: 0 }])
          const entries = await entriesOf(store, response.id)
          expect(entries.filter(({ type }) => ENDS.includes(type))).toEqual(entries.slice(-1))
        }),
        { numRuns: runs(200), examples: [[last, false]] },
      )
    },
  )

  test('a store that fails once is a 503 without streaming, and stops the engine', async () => {
    const store = flakyStore({ method: 'append', after: 5 })
    const { create, ask, engine } = endpoint(heldEngine(1000), { store })
    expect((await create({ input: 'Hi' })).status).toBe(503)
    await engine.stopped
    expect((await ask('GET', `/responses/${store.ids[0]}`)).body.status).toBe('failed')
  })

  test('a store that fails once leaves a response cancelled whose client has left', async () => {
    const store = flakyStore()
    const { send, ask, service } = endpoint(heldEngine(6), { store })
    const init = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ input: 'Hi', stream: true }) }
    const reader = ((await send('/v1/responses', init)).body as ReadableStream<Uint8Array>).getReader()
    await readUntil(reader, 'response.output_text.delta')
    store.failing = { method: 'append', isEnd: true }
    await reader.cancel()
    await until(() => service.load.running === 0)
    expect((await ask('GET', `/responses/${store.ids[0]}`)).body).toMatchObject({ status: 'cancelled', error: null })
  })

  test('a background response begins and is whole without its entries being read', async () => {
    const store = flakyStore({ method: 'entries', after: 0 })
    const { send, ask, errors } = endpoint(() => answer('Hi there.'), { store })
    const [events, isCut] = await read({ send }, { input: 'Hi', background: true })
    expect(isCut).toBe(false)
    expect(events.at(-1)?.type).toBe('response.completed')
    expect((await ask('GET', `/responses/${store.ids[0]}`)).body.status).toBe('completed')
    expect(errors).toEqual([])
  })

  test('a store that fails once gives a socket one terminal event, and the next request is answered', async () => {
    const store = flakyStore()
    const server = await serve({ engine: scriptedEngine(() => answer('Hi there.')), store })
    const client = await connect(server)
    store.failing = { method: 'append', after: 4 }
    client.send(message('Hi'))
    const events = await client.answer()
    expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: { status: 'failed' } })
    client.send(message('Hi'))
    expect(textOf(await client.answer())).toBe('Hi there.')
  })
})

describe('a store that takes nothing any more', () => {
  /** A response in whose middle the store went down. */
  async function failed(options: object = {}): Promise<Endpoint & { store: FlakyStore; id: string; events: Event[] }> {
    const store = flakyStore()
    const goDown = (responseId: string, { type }: Entry): void => {
      if (type === 'chunk' && responseId === store.ids[0]) store.isDown = true
    }
    const served = endpoint(() => [think('Let me see.'), answer('Hi there.')], { store, onEntry: goDown, ...options })
    const [events, isCut] = await read(served, { input: 'Hi' })
    expect([isCut, events.filter(({ type }) => TERMINAL.includes(type))]).toEqual([false, events.slice(-1)])
    expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: { error: NO_STORE } })
    return { ...served, store, id: events[0]?.response.id, events }
  }

  test.each(['stop', 'finish'] as const)(
    'a store that takes nothing any more ends the stream by one failure, and GET says the same, with onDisconnect %s',
    async (onDisconnect) => {
      const { ask, id, store, errors, events } = await failed({ onDisconnect })
      expect(errors).toEqual([broken])
      expect((await ask('GET', `/responses/${id}`)).body).toEqual(events.at(-1)?.response)
      expect((await store.find(id, 'anonymous'))?.state).toBe('running')
    },
  )

  test('a store that takes nothing any more lets its client have the same events again', async () => {
    const { stream, id, events } = await failed()
    const whole = await stream(`/responses/${id}?stream=true`)
    expect(whole).toEqual(events)
    const some = events[3]?.sequence_number
    expect(await stream(`/responses/${id}?stream=true&starting_after=${some}`)).toEqual(events.slice(4))
  })

  test('a store that can be written again keeps the end that was told before', async () => {
    const { ask, stream, id, store, errors } = await failed()
    const before = [(await ask('GET', `/responses/${id}`)).body, await stream(`/responses/${id}?stream=true`)]
    store.isDown = false
    // Whichever reader asks first, and however many do.
    const told = errors.length
    const answers = await Promise.all([1, 2, 3].map(() => ask('GET', `/responses/${id}`)))
    expect([answers.map(({ body }) => body.status), errors.length]).toEqual([['failed', 'failed', 'failed'], told])
    expect((await store.find(id, 'anonymous'))?.state).toBe('finished')
    expect([(await ask('GET', `/responses/${id}`)).body, await stream(`/responses/${id}?stream=true`)]).toEqual(before)
  })

  test('a store whose answers are lost as well is written no end twice', async () => {
    const store = flakyStore({ method: 'append', after: 4, times: 3, isDone: true })
    const { send, ask, stream } = endpoint(() => answer('Hi there.'), { store })
    const [events, isCut] = await read({ send }, { input: 'Hi' })
    expect([isCut, events.at(-1)?.type]).toEqual([false, 'response.failed'])
    const { id } = events[0]?.response ?? {}
    expect((await ask('GET', `/responses/${id}`)).body.status).toBe('failed')
    expect(await stream(`/responses/${id}?stream=true`)).toEqual(events)
    expect((await store.find(id, 'anonymous'))?.state).toBe('finished')
  })

  test('a store that can be written again lets the conversation continue', async () => {
    const { create, id, store } = await failed()
    store.isDown = false
    const { status, body } = await create({ input: 'And?', previous_response_id: id })
    expect([status, body.previous_response_id]).toEqual([200, id])
  })

  test('a response whose store takes nothing any more is given to no other reader', async () => {
    const { ask, id } = await failed()
    const other = { authorization: 'Bearer other' }
    expect((await ask('GET', `/responses/${id}`, undefined, other)).status).toBe(404)
    expect((await ask('GET', `/responses/${id}?stream=true`, undefined, other)).status).toBe(404)
  })

  test('a store that can be written again lets the response be deleted', async () => {
    const { ask, id, store } = await failed()
    store.isDown = false
    expect((await ask('DELETE', `/responses/${id}`)).status).toBe(200)
    expect((await ask('GET', `/responses/${id}`)).status).toBe(404)
  })

  test('a response whose store fails at the very end keeps its state until it can be written', async () => {
    const store = flakyStore()
    const { send, ask } = endpoint([answer('Hi')], {
      store,
      onEntry: (_, { type }) => {
        if (type === 'end') store.isDown = true
      },
    })
    const [events, isCut] = await read({ send }, { input: 'Hi' })
    const { id } = events[0]?.response ?? {}
    // The store has acknowledged all of its entries, and its end.
    expect([isCut, events.at(-1)?.type]).toEqual([false, 'response.completed'])
    const told = (await ask('GET', `/responses/${id}`)).body
    expect(told).toEqual(events.at(-1)?.response)
    store.isDown = false
    expect((await ask('GET', `/responses/${id}`)).body).toEqual(told)
    expect((await store.find(id, 'anonymous'))?.state).toBe('finished')
  })

  test.each([false, true])(
    'a response whose end may be written or not is told as failed unless the store has it, and stays so: %s',
    async (isDone) => {
      // The end itself fails, and then the store is gone.
      const store = flakyStore({ method: 'append', isEnd: true, isDone, isLast: true })
      const { stream, ask } = endpoint([answer('Hi')], { store })
      const events = await stream('/responses', { input: 'Hi' })
      const { id } = events.at(-1)?.response ?? {}
      // A store that accepts no writes can still be read.
      const status = isDone ? 'completed' : 'failed'
      expect(events.at(-1)).toMatchObject({ type: `response.${status}`, response: { error: isDone ? null : NO_STORE } })
      expect((await ask('GET', `/responses/${id}`)).body).toEqual(events.at(-1)?.response)
      store.isDown = false
      expect((await ask('GET', `/responses/${id}`)).body.status).toBe(status)
      expect((await stream(`/responses/${id}?stream=true`)).at(-1)?.type).toBe(`response.${status}`)
      expect((await store.find(id, 'anonymous'))?.state).toBe('finished')
    },
  )

  test('a store that is gone for readers too ends the streams of all readers by the same failure', async () => {
    const store = flakyStore()
    const { send, stream, engine } = endpoint(heldEngine(6), { store, onDisconnect: 'finish' })
    const body = JSON.stringify({ input: 'Hi', stream: true })
    const first = send('/v1/responses', { method: 'POST', headers: JSON_TYPE, body })
    const reader = ((await first).body as ReadableStream<Uint8Array>).getReader()
    await readUntil(reader, 'response.output_text.delta')
    const second = stream(`/responses/${store.ids[0]}?stream=true`)
    await new Promise((resolve) => setImmediate(resolve))
    store.isGone = true
    engine.step(100)
    const events = await second
    expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: { error: NO_STORE } })
    expect(await readUntil(reader, 'response.failed')).toContain('cannot reach its storage')
  })

  test('a request repeated with its key after its store failed is answered by the failed response', async () => {
    const store = flakyStore()
    const { create, ask } = endpoint(() => answer('Hi'), {
      store,
      onEntry: (_, { type }) => {
        if (type === 'chunk') store.isDown = true
      },
    })
    const key = { 'idempotency-key': 'k' }
    expect((await create({ input: 'Hi' }, key)).status).toBe(503)
    store.isDown = false
    expect((await create({ input: 'Hi' }, key)).status).toBe(503)
    expect((await ask('GET', `/responses/${store.ids[0]}`)).body.status).toBe('failed')
    expect(store.ids).toHaveLength(1)
  })

  test('a store that takes nothing any more gives a socket one terminal event', async () => {
    const store = flakyStore()
    const server = await serve({
      engine: scriptedEngine(() => answer('Hi there.')),
      store,
      onEntry: (_, { type }) => {
        if (type === 'chunk') store.isDown = true
      },
    })
    const client = await connect(server)
    client.send(message('Hi'))
    expect((await client.answer()).at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: NO_STORE },
    })
    store.isDown = false
    const { id } = { id: store.ids[0] as string }
    expect((await server.service.retrieve(id, 'anonymous')).status).toBe('failed')
  })
})

test('a writer whose response another process writes by now stops, and shows what that one makes of it', async () => {
  const store = flakyStore()
  const served = endpoint(heldEngine(6), { store })
  const init = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ input: 'Hi', stream: true }) }
  const reader = ((await served.send('/v1/responses', init)).body as ReadableStream<Uint8Array>).getReader()
  const begun = await readUntil(reader, 'response.output_text.delta')
  const [id = ''] = store.ids
  const other = endpoint(heldEngine(6), { store })
  // Held by the first one: the other takes it to cancel it.
  const cancelled = store.claim({ responseId: id, owner: 'anonymous', leaseSeconds: 60, isForced: true })
  const { lease, count } = (await cancelled) ?? {}
  expect(lease).toMatchObject({ epoch: 2 })
  const rest = readUntil(reader, 'response.failed')
  served.engine.step(100)
  await served.engine.stopped
  expect((await served.ask('GET', `/responses/${id}`)).body.status).toBe('in_progress')
  const entries = await entriesOf(store, id, count)
  const fail: Entry = { at: 1, type: 'fail', failure: { code: 'server_error', message: 'Another process says so.' } }
  const finished = { response: { id, status: 'failed', output: [] }, added: [], history: [] } as never
  const all = block(...entries, fail)
  await store.append([
    {
      lease: lease as Lease,
      at: count as number,
      entries: block(fail),
      end: { finished, entries: all },
      leaseSeconds: 60,
    },
  ])
  const text = begun + (await rest)
  expect(text).toContain('Another process says so.')
  const numbers = partOf(text).map((event) => event.sequence_number)
  expect(numbers).toEqual(numbers.map((_, at) => at))
  expect([served.errors.length, other.errors.length]).toEqual([1, 0])
})

/** A store that can lose the last entries of its one response, like one that answers before it has written. */
function forgetfulStore(): ResponseStore & { forget(keptBlocks: number): Promise<void> } {
  let real = createMemoryStore()
  let opened: NewResponse | undefined
  const appends: Append[] = []
  const methods = METHODS.map((method) => [
    method,
    (...all: unknown[]) => (real[method] as (...given: unknown[]) => unknown)(...all),
  ])
  return {
    ...(Object.fromEntries(methods) as unknown as ResponseStore),
    durability: 'none',
    open(response) {
      opened = response
      return real.open(response)
    },
    append(given) {
      appends.push(...given)
      return real.append(given)
    },
    async forget(keptBlocks) {
      real = createMemoryStore()
      await real.open(opened as NewResponse)
      await real.append(appends.slice(0, keptBlocks))
    },
  }
}

test('a response whose entries the store has lost ends failed and says so, with no event twice and none missing', async () => {
  const store = forgetfulStore()
  const engine = heldEngine(6)
  const served = endpoint(engine, { store })
  const body = JSON.stringify({ input: 'Hi', stream: true })
  const { body: stream } = await served.send('/v1/responses', { method: 'POST', headers: JSON_TYPE, body })
  const reader = (stream as ReadableStream<Uint8Array>).getReader()
  const begun = await readUntil(reader, 'response.output_text.delta')
  await store.forget(1)
  engine.step(1)
  const chunks = [begun]
  const decoder = new TextDecoder()
  for (let step = await reader.read(); !step.done; step = await reader.read()) chunks.push(decoder.decode(step.value))
  const events = eventsIn(chunks.join(''))
  const error = { code: 'server_error', message: 'The storage of the server has lost a part of this response.' }
  const last = events.at(-1)
  expect(last).toMatchObject({ type: 'response.failed', response: { error } })
  expect(await served.stream(`/responses/${last?.response.id}?stream=true`)).toEqual(events)
  expect(served.errors).toMatchObject([{ name: 'EntriesLost' }])
})

test('a store that fails where a repeated request is attached leaves no memory of its reader behind', async () => {
  const store = createMemoryStore()
  const engine = heldEngine(10)
  const running = endpoint(engine, { store })
  const key = { 'idempotency-key': 'k' }
  const first = running.create({ input: 'Hi' }, key)
  await engine.asked
  let reads = 0
  const flaky = {
    ...store,
    entries: async (...given: Parameters<ResponseStore['entries']>) => {
      reads += 1
      if (reads % 2 === 0) throw broken
      return await store.entries(...given)
    },
  }
  const { create, service } = endpoint(heldEngine(), { store: flaky })
  for (let count = 0; count < 3; count++) expect((await create({ input: 'Hi' }, key)).status).toBe(503)
  expect(reads).toBe(6)
  expect(service.memory.by.reader).toBe(0)
  running.service.drain(AbortSignal.abort())
  await first
})

test('a failure of a store is told again, if it has answered since another method failed in the same words', async () => {
  const errors: unknown[] = []
  const store = createMemoryStore()
  const isFailing = { delete: true, append: false }
  const flaky = {
    ...store,
    delete: async (...given: Parameters<ResponseStore['delete']>) => {
      if (isFailing.delete) throw new Error('database is locked')
      return await store.delete(...given)
    },
    append: async (...given: Parameters<ResponseStore['append']>) => {
      if (isFailing.append) throw new Error('database is locked')
      return await store.append(...given)
    },
  }
  const served = endpoint(() => answer('Hi'), { store: flaky, onError: (error) => errors.push(error) })
  const { body } = await served.create({ input: 'Hi' })
  expect((await served.ask('DELETE', `/responses/${body.id}`)).status).toBe(503)
  expect((await served.create({ input: 'Hi' })).status).toBe(200)
  expect(errors.map(String)).toEqual(['Error: database is locked'])
  isFailing.append = true
  await served.create({ input: 'Hi' })
  expect(errors.length).toBeGreaterThan(1)
})
