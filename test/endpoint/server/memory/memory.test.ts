import { describe, expect, test } from 'vitest'
import { createByteBudget, type MemoryUse } from '../../../../src/endpoint/flow/byte-budget.js'
import { eventStream } from '../../../../src/endpoint/server/event-stream.js'
import type { Metric } from '../../../../src/endpoint/server/index.js'
import { sendCounted } from '../../../../src/endpoint/server/send-events.js'
import { memoryBytesOf } from '../../../../src/endpoint/server/service/limits/memory.js'
import { memoryOfProcess } from '../../../../src/endpoint/server/service/limits/process-memory.js'
import { createMemoryStore } from '../../../../src/endpoint/stores/index.js'
import type { Tool } from '../../../../src/endpoint/tools/tool.js'
import { answer, call, scriptedEngine } from '../../../../src/testing/index.js'
import { endpoint, heldEngine, JSON_TYPE, readUntil, until } from '../endpoint.js'
import { connect, create as message, serve } from '../web-socket/sockets.js'

const GB = 2 ** 30

describe('how much may be held by default', () => {
  const v8 = { getHeapStatistics: () => ({ heap_size_limit: 2 * GB }) }
  const node = (container: number, machine = 64 * GB) => ({
    constrainedMemory: () => container,
    getBuiltinModule: (name: string) => (name === 'node:v8' ? v8 : { totalmem: () => machine }),
  })

  test('the memory of a process is the smallest of heap, container and machine', () => {
    expect(memoryOfProcess(node(8 * GB))).toBe(2 * GB)
    expect(memoryOfProcess(node(1 * GB))).toBe(1 * GB)
    expect(memoryOfProcess(node(8 * GB, GB / 2))).toBe(GB / 2)
  })

  test('a container without a limit counts for nothing, however the runtime says so', () => {
    expect(memoryOfProcess(node(0))).toBe(2 * GB)
    expect(memoryOfProcess(node(2 ** 64))).toBe(2 * GB)
  })

  test("a runtime that does not know its memory counts as a worker, with half of a worker's memory", () => {
    expect(memoryOfProcess({})).toBeUndefined()
    expect(memoryOfProcess({ getBuiltinModule: () => undefined })).toBeUndefined()
    const refuse = (): never => {
      throw new Error('not implemented')
    }
    expect(memoryOfProcess({ constrainedMemory: refuse, getBuiltinModule: refuse })).toBeUndefined()
  })

  test('half of what this process has is counted, unless the host says how much', () => {
    expect(memoryBytesOf({})).toBe(Math.floor((memoryOfProcess() ?? 0) / 2))
    expect(memoryBytesOf({ memoryBytes: 5 })).toBe(5)
  })
})

const MB = 1_000_000

/** The held memory, without the finished responses in the store. */
const busy = ({ memory }: { readonly memory: MemoryUse }): number => memory.used - memory.by.store

describe('a request', () => {
  test('a request that never fits is a 413 in the words of its API, and one that does not fit now a 429', async () => {
    const engine = heldEngine()
    const { create, ask, service, engine: held } = endpoint(engine, { limits: { memoryBytes: 1 * MB } })
    for (const path of ['/responses', '/chat/completions', '/responses/input_tokens', '/responses/compact']) {
      const { status, body } = await ask('POST', path, { input: 'x'.repeat(160_000), messages: [] })
      expect([status, body.error.code, body.error.type]).toEqual([413, 'request_too_large', 'invalid_request_error'])
    }
    const first = create({ input: 'x'.repeat(90_000) })
    await held.asked
    const { status, body, headers } = await create({ input: 'x'.repeat(90_000) })
    expect([status, body.error.code, headers.get('retry-after')]).toEqual([429, 'rate_limit_exceeded', '1'])
    engine.step(1)
    service.drain(AbortSignal.abort())
    await first
    await until(() => busy(service) === 0)
  })

  test('the tools that its MCP servers list count, and a request without room for them is a 429', async () => {
    const engine = heldEngine()
    const listed = Array.from({ length: 1_000 }, (_, at) => ({ name: `tool_${at}`, inputSchema: { type: 'object' } }))
    const tool: Tool = {
      serverLabels: ['docs'],
      answers: () => false,
      run: async () => ({ output: '' }),
      listings: async () => [{ serverLabel: 'docs', tools: listed }],
    }
    const { create, service } = endpoint(engine, { tools: [tool], limits: { memoryBytes: 2 * MB } })
    const tools = [{ type: 'mcp', server_label: 'docs' }]
    const first = create({ input: 'Hi', tools })
    await engine.asked
    expect(busy(service)).toBeGreaterThan(0.6 * MB)
    const { status, body } = await create({ input: 'Hi', tools })
    expect([status, body.error.code]).toEqual([429, 'rate_limit_exceeded'])
    service.drain(AbortSignal.abort())
    await first
    await until(() => busy(service) === 0)
  })

  test('another owner is served while one holds all that it may', async () => {
    const engine = heldEngine()
    const { create, service } = endpoint(engine, { limits: { memoryBytes: 1 * MB } })
    const ann = { authorization: 'Bearer ann' }
    const first = create({ input: 'x'.repeat(110_000) }, ann)
    await engine.asked
    expect((await create({ input: 'x'.repeat(30_000) }, ann)).status).toBe(429)
    const other = create({ input: 'Hi' }, { authorization: 'Bearer bob' })
    await until(() => service.load.running === 2)
    service.drain(AbortSignal.abort())
    expect((await Promise.all([first, other])).map(({ status }) => status)).toEqual([503, 503])
  })

  test('values cost more than their bytes, and are refused while they come', async () => {
    const { send } = endpoint(() => answer('Hi'), { limits: { memoryBytes: 2 * MB } })
    let pulled = 0
    const chunk = new TextEncoder().encode('[],'.repeat(300))
    const body = new ReadableStream({
      pull(controller) {
        pulled += 1
        controller.enqueue(chunk)
      },
    })
    const refused = await send('/v1/responses', { method: 'POST', headers: JSON_TYPE, body, duplex: 'half' } as never)
    expect(refused.status).toBe(413)
    // 1.5 MB of 400 bytes a value and 5 a byte, 600 values and 900 bytes a chunk.
    expect(pulled).toBeLessThan(10)
  })

  test('a refused request reaches no model, and nothing of it is kept', async () => {
    const { create, engine, service } = endpoint(() => answer('Hi'), { limits: { memoryBytes: 1 * MB } })
    expect((await create({ input: 'x'.repeat(200_000) })).status).toBe(413)
    expect([engine.calls, service.load, busy(service)]).toEqual([[], { running: 0, waiting: 0 }, 0])
  })

  test('requests that wait for their turn are counted', async () => {
    const engine = heldEngine()
    const { create, service } = endpoint(engine, { limits: { memoryBytes: 10 * MB, concurrency: 1 } })
    const waiting = [1, 2, 3].map(() => create({ input: 'x'.repeat(100_000) }))
    await until(() => service.load.waiting === 2)
    expect(service.memory.by.queue).toBeGreaterThan(1 * MB)
    service.drain(AbortSignal.abort())
    await Promise.all(waiting)
    expect(busy(service)).toBe(0)
  })
})

describe('a response', () => {
  test('a response that writes more than there is room for ends as failed, and says that it may be tried again', async () => {
    const { stream, service } = endpoint(heldEngine(10_000), { limits: { memoryBytes: 1 * MB } })
    const events = await stream('/responses', { input: 'Hi', store: false })
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { error: { code: 'rate_limit_exceeded' } },
    })
    expect(events.length).toBeGreaterThan(1000)
    await until(() => busy(service) === 0)
  })

  test('a result of a tool that has no room fails the call, and the model continues', async () => {
    const errors: unknown[] = []
    const docs = { type: 'mcp', server_label: 'docs', allowed_tools: ['search'], require_approval: 'never' }
    const { create } = endpoint(scriptedEngine([[call('docs.search', {})], answer('Too much.')]), {
      limits: { memoryBytes: 1 * MB },
      tools: [{ answers: () => true, run: async () => ({ output: 'x'.repeat(300_000) }) }],
      onError: (error) => errors.push(error),
    })
    const { body } = await create({ input: 'Hi', tools: [docs] })
    expect([body.status, body.output[0].type, body.output[0].status]).toEqual(['completed', 'mcp_call', 'failed'])
    expect(String(errors)).toContain('too little memory')
  })

  test('a reader that stops before the end holds what its response holds until it leaves', async () => {
    const { send, service } = endpoint(() => answer('Hi there.'), { limits: { memoryBytes: 10 * MB } })
    const body = JSON.stringify({ input: 'x'.repeat(200_000), stream: true })
    const response = await send('/v1/responses', { method: 'POST', headers: JSON_TYPE, body })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    await readUntil(reader, 'response.output_text.delta')
    expect(service.memory.by.response).toBeGreaterThan(1 * MB)
    await reader.cancel()
    await until(() => busy(service) === 0)
  })
})

describe('readers that stop', () => {
  type Batch = { readonly type: string; readonly delta?: string }[]
  /** Deltas, which are written whole. */
  async function* batches(size: number): AsyncGenerator<Batch> {
    for (;;) yield [{ type: 'event', delta: 'x'.repeat(size) }]
  }
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  }

  test.each([1000, 200_000])(
    'a web stream whose reader stops counts the bytes that it holds, of events of %i bytes',
    async (size) => {
      const budget = createByteBudget({ total: 1 * MB })
      const { signal } = new AbortController()
      const options = { done: false, keepAliveMs: 0, signal, report: () => {}, onEnd: () => {} }
      const reader = eventStream(batches(size), { ...options, unread: budget.hold('ann', 'reader') }).getReader()
      await reader.read()
      await turns()
      // One batch ahead. As much as the system takes in any case is not counted.
      if (size < 65_536) expect(budget.use.used).toBe(0)
      else expect(budget.use.by.reader).toBeGreaterThan(size)
      expect(budget.use.by.reader).toBeLessThan(size + 1000)
      await reader.cancel()
      expect(budget.use.used).toBe(0)
    },
  )

  test('a web stream counts one batch, however many its reader has read', async () => {
    const budget = createByteBudget({ total: 1 * MB })
    const { signal } = new AbortController()
    const options = { done: false, keepAliveMs: 0, signal, report: () => {}, onEnd: () => {} }
    const reader = eventStream(batches(100_000), { ...options, unread: budget.hold('ann', 'reader') }).getReader()
    for (let read = 0; read < 20; read++) {
      await reader.read()
      await turns()
      expect(budget.use.by.reader).toBeGreaterThan(100_000)
      expect(budget.use.by.reader).toBeLessThan(101_000)
    }
    await reader.cancel()
  })

  test('a web stream whose reader leaves more unread than there is room for is cut off', async () => {
    const budget = createByteBudget({ total: 200_000 })
    const { signal } = new AbortController()
    let isAborted: boolean | undefined
    const onEnd = (aborted: boolean): void => {
      isAborted = aborted
    }
    const options = { done: false, keepAliveMs: 0, signal, report: () => {}, onEnd }
    const reader = eventStream(batches(300_000), { ...options, unread: budget.hold('ann', 'reader') }).getReader()
    await reader.read()
    await turns()
    await expect(reader.read()).rejects.toThrow('reads too slowly')
    expect([isAborted, budget.use.used]).toEqual([true, 0])
  })

  /** A response of Node's whose client reads nothing until it is told to. */
  function slowResponse() {
    const listeners = new Map<string, Set<() => void>>()
    const of = (event: string): Set<() => void> => listeners.get(event) ?? new Set()
    const response = {
      writableEnded: false,
      destroyed: false,
      setHeader() {},
      flushHeaders() {},
      write: () => false,
      end() {
        response.writableEnded = true
      },
      destroy() {
        response.destroyed = true
        for (const listener of of('close')) listener()
      },
      on(event: string, listener: () => void) {
        listeners.set(event, of(event).add(listener))
      },
      once(event: string, listener: () => void) {
        response.on(event, listener)
      },
      off: (event: string, listener: () => void) => of(event).delete(listener),
      drain() {
        for (const listener of [...of('drain')]) listener()
      },
    }
    return response
  }

  test("a response of Node's whose client stops counts the bytes that it holds, and gives them back when they were read", async () => {
    const budget = createByteBudget({ total: 1 * MB })
    const out = slowResponse()
    const sent = sendCounted(out, batches(200_000) as never, { keepAliveMs: 0, unread: budget.hold('ann', 'reader') })
    await turns()
    const [first] = [budget.use.by.reader]
    expect(first).toBeGreaterThan(200_000)
    out.drain()
    expect(budget.use.by.reader).toBe(0)
    await turns()
    expect(budget.use.by.reader).toBe(first)
    out.destroy()
    await sent
    expect(budget.use.used).toBe(0)
  })

  test("a response of Node's whose client leaves more unread than there is room for is cut off", async () => {
    const budget = createByteBudget({ total: 200_000 })
    const out = slowResponse()
    await sendCounted(out, batches(300_000) as never, { keepAliveMs: 0, unread: budget.hold('ann', 'reader') })
    expect([out.destroyed, budget.use.used]).toEqual([true, 0])
  })
})

describe('sockets', () => {
  test('a message that never fits is refused with 413 on its lane, and the next one is answered', async () => {
    const server = await serve({ engine: scriptedEngine(() => answer('Hi')), limits: { memoryBytes: 1 * MB } })
    const client = await connect(server)
    client.send(message('x'.repeat(200_000)))
    expect(await client.frame()).toMatchObject({ type: 'error', status: 413, error: { code: 'request_too_large' } })
    client.send(message('Hi', { store: false }))
    expect((await client.answer()).at(-1)?.type).toBe('response.completed')
  })

  test('an unfinished message that never fits closes the socket with 1009, and says why', async () => {
    const server = await serve({ engine: scriptedEngine(() => answer('Hi')), limits: { memoryBytes: 1 * MB } })
    const { socket } = await connect(server)
    const closed = new Promise((resolve) => socket.once('close', (code, reason) => resolve([code, String(reason)])))
    for (let part = 0; part < 20; part++) socket.send('x'.repeat(50_000), { fin: false })
    expect(await closed).toEqual([1009, 'The message is larger than the memory of the server.'])
    await until(() => busy(server.service) === 0)
  })

  test('an idle socket holds only its remembered responses, until it closes', async () => {
    const server = await serve({ engine: scriptedEngine(() => answer('Hi')), limits: { memoryBytes: 10 * MB } })
    const client = await connect(server)
    expect(busy(server.service)).toBe(0)
    client.send(message('x'.repeat(100_000), { store: false }))
    await client.answer()
    await until(() => busy(server.service) === 0)
    expect(server.service.memory.by.store).toBeGreaterThan(300_000)
    client.socket.terminate()
    await until(() => server.service.memory.used === 0)
  })

  test('the remembered responses of a socket are dropped where they have no room, the oldest first', async () => {
    const server = await serve({ engine: scriptedEngine(() => answer('Hi')), limits: { memoryBytes: 2 * MB } })
    const client = await connect(server)
    const ids: string[] = []
    for (let count = 0; count < 6; count++) {
      client.send(message('x'.repeat(100_000), { store: false }))
      const last = (await client.answer()).at(-1) as unknown as { response: { id: string } }
      ids.push(last.response.id)
    }
    const goOn = async (id: string | undefined): Promise<string | undefined> => {
      client.send(message('And?', { store: false, previous_response_id: id }))
      return (await client.answer()).at(-1)?.type
    }
    expect([await goOn(ids.at(-1)), await goOn(ids[0])]).toEqual(['response.completed', 'error'])
  })
})

test('a store that reports its memory drops its oldest conversations for a request', async () => {
  const store = createMemoryStore()
  const limits = { memoryBytes: 2.4 * MB, knownTextBytes: 0 }
  const { create, ask, service } = endpoint(() => answer('Hi'), { store, limits })
  const ids: string[] = []
  for (let count = 0; count < 3; count++) ids.push((await create({ input: 'x'.repeat(70_000) })).body.id)
  expect(service.memory.by.store).toBe(store.memory.bytes)
  expect((await create({ input: 'x'.repeat(260_000), store: false })).status).toBe(200)
  const statuses = await Promise.all(ids.map(async (id) => (await ask('GET', `/responses/${id}`)).status))
  expect([statuses[0], statuses[2]]).toEqual([404, 200])
})

test('a refusal is a metric, with the requested amount and the amount in use', async () => {
  const metrics: Metric[] = []
  const options = { onMetric: (metric: Metric) => void metrics.push(metric), limits: { memoryBytes: 1 * MB } }
  const { create, send } = endpoint(() => answer('Hi'), options)
  await create({ input: 'x'.repeat(200_000) })
  expect(metrics.filter(({ type }) => type === 'memory_refused')).toMatchObject([
    { purpose: 'body', isPermanent: true, usedBytes: 0, totalBytes: 1 * MB },
  ])
  expect((await send('/readyz')).status).toBe(200)
})

describe('answers that are not read', () => {
  test('unread answers are counted, refused where there is no room, and given back when they are read', async () => {
    const { create, send, service } = endpoint(() => answer('Hi'), { limits: { memoryBytes: 1.4 * MB } })
    const { body } = await create({ input: 'Hi', instructions: '😀 x'.repeat(18_000) })
    expect(busy(service)).toBe(0)
    const get = (): Promise<Response> => send(`/v1/responses/${body.id}`)
    const answers = await Promise.all(Array.from({ length: 30 }, get))
    const refused = answers.filter(({ status }) => status === 429)
    // The store has given the response back for those that were refused: later ones do not find it.
    expect(refused.length).toBeGreaterThan(0)
    expect(answers.filter(({ status }) => status !== 200).length).toBeGreaterThan(10)
    expect(service.memory.by.reader).toBeGreaterThan(400_000)
    const served = answers.filter(({ status }) => status === 200)
    for (const [index, each] of served.entries()) {
      if (index % 2 === 0) expect(await each.json()).toEqual(body)
      else await each.body?.cancel()
    }
    expect(busy(service)).toBe(0)
  })

  test('streams of a stored response count what each of them holds, are refused where there is no room, and give it back', async () => {
    const store = createMemoryStore()
    const long = endpoint(() => answer('word '.repeat(5_000)), { store })
    const { body } = await long.create({ input: 'Hi' })
    const { send, service } = endpoint(() => answer('Hi'), { store, limits: { memoryBytes: 8 * MB } })
    const streams = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const { status, body: stream } = await send(`/v1/responses/${body.id}?stream=true`)
        const reader = (stream as ReadableStream<Uint8Array>).getReader()
        const first = status === 200 ? await reader.read().catch(() => undefined) : undefined
        return { status, reader, isOpen: first !== undefined && !first.done }
      }),
    )
    const open = streams.filter(({ isOpen }) => isOpen)
    expect(open.length).toBeGreaterThan(3)
    expect(open.length).toBeLessThan(10)
    expect(service.memory.by.reader).toBeGreaterThan(open.length * 5_000 * 100)
    for (const { reader } of streams) await reader.cancel().catch(() => {})
    await until(() => busy(service) === 0)
  })

  test("answers over Node's own response are given back when their connection is closed", async () => {
    const server = await serve({ engine: scriptedEngine(() => answer('Hi')), limits: { memoryBytes: 2 * MB } })
    const body = JSON.stringify({ input: 'Hi', instructions: 'x'.repeat(100_000) })
    const made = await fetch(`${server.url}/v1/responses`, { method: 'POST', headers: JSON_TYPE, body })
    const { id } = (await made.json()) as { id: string }
    const again = await fetch(`${server.url}/v1/responses/${id}`)
    expect((await again.text()).length).toBeGreaterThan(100_000)
    await until(() => busy(server.service) === 0)
  })
})
