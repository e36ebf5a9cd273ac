import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../../src/endpoint/stores/index.js'
import type { Tool } from '../../../../src/endpoint/tools/tool.js'
import { EngineError, type TokenEngine, tokenStream } from '../../../../src/engines/contract/index.js'
import { runs } from '../../../support/runs.js'
import { encodeHarmony } from '../../../support/tokens.js'
import { type Endpoint, endpoint, JSON_TYPE, until } from '../endpoint.js'
import { connectTo, create as message, serve } from '../web-socket/sockets.js'

/*
 * Clients of several owners do everything that clients do, concurrently and with little memory: whatever the answers,
 * and wherever the clients leave, no memory is held afterwards.
 */

const HI = encodeHarmony('<|channel|>final<|message|>Hi there, all of you.<|return|>')

/** A model that sometimes fails, depending on the number of its calls. */
function engine(): TokenEngine {
  let calls = 0
  return {
    generate(_, { signal } = {}) {
      calls += 1
      const isFailing = calls % 5 === 0
      return tokenStream(async function* () {
        for (const [index, token] of HI.entries()) {
          if (isFailing && index === 6) throw new EngineError('server_error', 'gone')
          await new Promise((resolve) => setImmediate(resolve))
          yield token
        }
        return { reason: 'stop' }
      }, signal)
    },
    health: async () => {},
  }
}

interface Act {
  readonly owner: string
  readonly path: '/responses' | '/chat/completions' | '/responses/input_tokens' | '/responses/compact'
  readonly body: object
  /** Characters of its text. */
  readonly size: number
  /** Whether its length is told. */
  readonly isChunked: boolean
  /** What the client does: reads all, or leaves: in the body, before the answer, or after so many parts of it. */
  readonly end: 'reads' | 'breaks off' | 'leaves' | 'stops'
  readonly key: string | undefined
  /** How many turns of the loop it waits before it begins. */
  readonly wait: number
}

const act: fc.Arbitrary<Act> = fc.record({
  owner: fc.constantFrom('ann', 'bob', 'eve'),
  path: fc.oneof(
    { weight: 5, arbitrary: fc.constant('/responses' as const) },
    fc.constantFrom('/chat/completions' as const, '/responses/input_tokens' as const, '/responses/compact' as const),
  ),
  body: fc.constantFrom(
    ...[{ stream: true }, { stream: true, store: false }, {}, { store: false }, { background: true }],
    ...[{ background: true, stream: true }, { generate: false }, { bad: 1 }, { previous_response_id: 'resp_none' }],
    { stream: true, instructions: 'x'.repeat(70_000) },
  ),
  size: fc.constantFrom(1, 10, 1000, 20_000, 60_000),
  isChunked: fc.boolean(),
  end: fc.constantFrom('reads' as const, 'reads' as const, 'breaks off' as const, 'leaves' as const, 'stops' as const),
  key: fc.option(fc.constantFrom('k1', 'k2'), { nil: undefined }),
  wait: fc.nat({ max: 20 }),
})

const bodyOf = ({ path, body, size }: Act): string => {
  const input = 'a '.repeat(size / 2)
  const said = path === '/chat/completions' ? { messages: [{ role: 'user', content: input }] } : { input }
  return JSON.stringify({ model: 'gpt-oss', ...said, ...body })
}

/** The body in parts; the client may be lost before the last one. */
function partsOf(text: string, isBroken: boolean): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setImmediate(resolve))
      const end = Math.min(at + 9000, bytes.length)
      if (isBroken && end === bytes.length) return controller.error(new Error('lost'))
      controller.enqueue(bytes.subarray(at, end))
      at = end
      if (at === bytes.length) controller.close()
    },
  })
}

const statuses = new Map<number, number>()

async function play(one: Act, { send }: Pick<Endpoint, 'send'>): Promise<void> {
  for (let turn = 0; turn < one.wait; turn++) await new Promise((resolve) => setImmediate(resolve))
  const text = bodyOf(one)
  const leaving = new AbortController()
  const isBroken = one.end === 'breaks off'
  const headers = {
    ...JSON_TYPE,
    authorization: `Bearer ${one.owner}`,
    ...(one.key && { 'idempotency-key': one.key }),
    ...(!one.isChunked && { 'content-length': String(new TextEncoder().encode(text).length) }),
  }
  const body = one.isChunked || isBroken ? partsOf(text, isBroken) : text
  const init = { method: 'POST', headers, body, signal: leaving.signal, duplex: 'half' }
  const answered = send(`/v1${one.path}`, init as never)
  if (one.end === 'leaves') setImmediate(() => setImmediate(() => leaving.abort()))
  const response = await answered.catch(() => undefined)
  if (response === undefined) return
  statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
  const reader = response.body?.getReader()
  try {
    for (let part = 0; part < (one.end === 'stops' ? 2 : 1e6); part++)
      if ((await reader?.read())?.done !== false) return
    await reader?.cancel()
  } catch {
    // Cut off: the client left, or was too slow.
  }
}

const tool: Tool = { answers: () => true, run: async () => ({ output: 'x'.repeat(200_000) }) }

test('whatever clients ask, and wherever they leave, nothing is held when they are gone', async () => {
  statuses.clear()
  const onDisconnect = fc.constantFrom('stop' as const, 'finish' as const, { graceMs: 1 })
  await fc.assert(
    fc.asyncProperty(
      ...[fc.array(act, { minLength: 1, maxLength: 12 }), onDisconnect, fc.constantFrom(400_000, 900_000, 5_000_000)],
      async (acts, onDisconnect, memoryBytes) => {
        const store = createMemoryStore()
        const limits = { memoryBytes, concurrency: 3, queue: 4 }
        const served = endpoint(engine(), { store, limits, onDisconnect, tools: [tool] })
        const { service } = served
        let most = 0
        const watch = setInterval(() => {
          most = Math.max(most, service.memory.used)
        }, 0)
        await Promise.all(acts.map((one) => play(one, served)))
        await served.drain()
        clearInterval(watch)
        await until(() => service.memory.used === service.memory.by.store)
        // Beside it, the entries of responses with `store: false` that somebody may come for.
        expect(service.memory.by.store).toBeGreaterThanOrEqual(store.memory.bytes)
        expect(Math.max(most, service.memory.used)).toBeLessThanOrEqual(memoryBytes)
      },
    ),
    { numRuns: runs(400) },
  )
  // All of them must occur, or the law has tested nothing.
  for (const status of [200, 400, 413, 429]) expect([status, statuses.get(status) ?? 0]).not.toEqual([status, 0])
})

test('whatever is sent over sockets, and wherever they are closed, nothing is held when they are gone', async () => {
  const kinds = ['create', 'unfinished', 'garbage', 'steer', 'large', 'waits'] as const
  const sends = fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 6 })
  const store = createMemoryStore()
  const server = await serve({ engine: engine(), store, limits: { memoryBytes: 4_000_000, rememberedResponses: 2 } })
  await fc.assert(
    fc.asyncProperty(fc.array(sends, { minLength: 1, maxLength: 4 }), async (clients) => {
      await Promise.all(
        clients.map(async (sent) => {
          const client = await connectTo(server)
          client.socket.on('error', () => {})
          for (const kind of sent) {
            if (kind === 'create') client.send(message('Hi', { store: false }))
            else if (kind === 'unfinished') client.socket.send('x'.repeat(50_000), { fin: false })
            else if (kind === 'garbage') client.send('{"type":')
            else if (kind === 'steer') client.send({ type: 'response.steer', previous_response_id: 'x' })
            else if (kind === 'large') client.send(message('a '.repeat(100_000), { store: false }))
            else for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve))
            if (kind === 'unfinished') break
          }
          client.socket.terminate()
          await client.closed
        }),
      )
      await until(() => server.service.memory.used === server.service.memory.by.store)
      expect(server.service.load).toEqual({ running: 0, waiting: 0 })
    }),
    { numRuns: runs(100) },
  )
})
