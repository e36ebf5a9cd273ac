import { describe, expect, test } from 'vitest'
import { corsHeaders } from '../../../src/endpoint/server/cors-headers.js'
import { createMemoryStore } from '../../../src/endpoint/stores/index.js'
import { answer, scriptedEngine, think } from '../../../src/testing/index.js'
import { endpoint, heldEngine, JSON_TYPE, readUntil, until } from './endpoint.js'
import { connect, create as message, serve } from './web-socket/sockets.js'

/* Each text is so long that work which grows by its square would not end. */
describe('texts that a regular expression could read again and again', () => {
  const MILLIONS = 4_000_000

  test('the headers that a page asks for are read in one pass, however many blanks are between them', () => {
    const asked = `x-a,${' '.repeat(MILLIONS)}x-b , x${' '.repeat(MILLIONS)}y`
    const headers = { get: (name: string) => (name === 'origin' ? 'https://chat.example' : asked) } as Headers
    const allowed = corsHeaders(headers, ['https://chat.example'])['access-control-allow-headers']
    expect(allowed?.split(', ')).toEqual([
      ...['authorization', 'content-type', 'content-encoding', 'idempotency-key'],
      ...['x-a', 'x-b'],
    ])
  })
})

describe('a clock that jumps', () => {
  test.each([-3600, 3600])(
    'a clock that jumps by %i seconds in mid-response ends, loses and repeats nothing',
    async (jump) => {
      let now = 1_800_000_000
      const clock = (): number => now
      const engine = heldEngine(6)
      const { send, ask, service } = endpoint(engine, { clock, store: createMemoryStore({ clock }) })
      const key = { 'idempotency-key': 'k' }
      const body = JSON.stringify({ input: 'Hi', stream: true })
      const response = await send('/v1/responses', { method: 'POST', headers: { ...JSON_TYPE, ...key }, body })
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      const beginning = await readUntil(reader, 'response.output_text.delta')
      now += jump
      engine.step(1)
      await readUntil(reader, 'response.output_text.delta')
      const [, id = ''] = /"id":"(resp_\w+)"/.exec(beginning) ?? []
      expect((await ask('GET', `/responses/${id}`)).body.status).toBe('in_progress')
      // The same request with its key finds the same response.
      const again = await send('/v1/responses', { method: 'POST', headers: { ...JSON_TYPE, ...key }, body })
      expect([again.status, service.load.running]).toEqual([200, 1])
      await again.body?.cancel()
      await reader.cancel()
      await until(() => service.load.running === 0)
      expect((await ask('GET', `/responses/${id}`)).body).toMatchObject({
        id,
        status: 'cancelled',
        created_at: 1_800_000_000,
      })
      // The next one is made as before, and is found.
      const next = endpoint(() => answer('Hi'), { clock, store: createMemoryStore({ clock }) })
      const made = await next.create({ input: 'Hi' })
      now -= jump
      expect((await next.ask('GET', `/responses/${made.body.id}`)).body.status).toBe('completed')
    },
  )
})

describe('a server that is stopped under load', () => {
  test('every stream of a server that is stopped ends, those that wait are refused, and nothing is held', async () => {
    const engine = heldEngine(0)
    const server = await serve({ engine, limits: { concurrency: 20, queue: 20 } })
    const post = (stream: boolean): Promise<Response> =>
      fetch(`${server.url}/v1/responses`, {
        method: 'POST',
        headers: JSON_TYPE,
        body: JSON.stringify({ input: 'Hi', stream }),
      })
    const answers = Array.from({ length: 40 }, (_, index) =>
      post(index % 2 === 0).then(async (got) => [got.status, await got.text()] as const),
    )
    const client = await connect(server)
    await until(() => server.service.load.running === 20 && server.service.load.waiting === 20)
    client.send(message('Hi', { store: false }))
    const frame = client.frame()
    await server.close({ graceMs: 0 })
    const ended = await Promise.all(answers)
    for (const [status, text] of ended) {
      if (status === 200) expect(text).toMatch(/event: response\.(failed|incomplete|completed)\n/)
      else expect(status).toBe(503)
    }
    expect(ended.length).toBe(40)
    await frame.catch(() => {})
    const { used, by } = server.service.memory
    expect([server.service.load, used - by.store]).toEqual([{ running: 0, waiting: 0 }, 0])
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow()
  })
})

describe('a flood of Idempotency-Keys', () => {
  test('keys of requests that are refused are given back, so that a flood of them keeps nothing', async () => {
    const store = createMemoryStore()
    const { create, service } = endpoint(heldEngine(0), { store, limits: { concurrency: 1, queue: 1 } })
    let refused = 0
    const flood = Array.from({ length: 60 }, async (_, key) => {
      const { status } = await create({ input: 'Hi' }, { 'idempotency-key': `k${key}` })
      if (status === 429) refused += 1
    })
    await until(() => refused === 58)
    expect(service.load).toEqual({ running: 1, waiting: 1 })
    const kept = await Promise.all(Array.from({ length: 60 }, (_, key) => store.findKey(`k${key}`, 'anonymous')))
    expect(kept.filter((key) => key !== undefined)).toHaveLength(1)
    service.drain(AbortSignal.abort())
    await Promise.all(flood)
    expect(service.memory.used - service.memory.by.store).toBe(0)
  })

  test('a store keeps as many keys as responses, and a key goes with its response', async () => {
    const store = createMemoryStore({ responses: 5 })
    const engine = scriptedEngine(() => [think('Hm.'), answer('Hi')])
    const { create } = endpoint(engine, { store })
    const ids: string[] = []
    for (let key = 0; key < 40; key++) {
      ids.push((await create({ input: 'Hi', generate: false }, { 'idempotency-key': `k${key}` })).body.id)
    }
    const again = async (key: number): Promise<string> =>
      (await create({ input: 'Hi', generate: false }, { 'idempotency-key': `k${key}` })).body.id
    expect(await again(39)).toBe(ids[39])
    expect(await again(0)).not.toBe(ids[0])
  })
})
