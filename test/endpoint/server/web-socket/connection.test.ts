import { expect, test } from 'vitest'
import { openResponses } from '../../../../src/dialects/index.js'
import { bearerKeys } from '../../../../src/endpoint/server/index.js'
import { answer, firstTokens, hang, scriptedEngine } from '../../../../src/testing/index.js'
import { connect, create, echo, type Frame, serve, textOf, upgradeStatus } from './sockets.js'

const KEY = 'key-0123456789abcdef'

test.each<[what: string, options: object, headers: Record<string, string>, status: number]>([
  ['a foreign host', {}, { host: 'evil.example' }, 403],
  ['a page of another site', {}, { origin: 'https://evil.example' }, 403],
  ['no key', { authorize: bearerKeys({ [KEY]: 'me' }) }, {}, 401],
  ['a wrong key', { authorize: bearerKeys({ [KEY]: 'me' }) }, { authorization: 'Bearer other' }, 401],
  ['the right key', { authorize: bearerKeys({ [KEY]: 'me' }) }, { authorization: `Bearer ${KEY}` }, 101],
  ['a page of an allowed site', { origins: ['https://chat.example'] }, { origin: 'https://chat.example' }, 101],
])('an upgrade with %s is answered by its status', async (_what, options, headers, status) => {
  const server = await serve({ engine: scriptedEngine(echo), ...options })
  expect(await upgradeStatus(server, { headers })).toBe(status)
})

test('GET /v1/responses without an upgrade is 404', async () => {
  const server = await serve({ engine: scriptedEngine(echo) })
  expect((await fetch(`${server.url}/v1/responses`)).status).toBe(404)
})

test('owners do not see the responses of others', async () => {
  const server = await serve({ engine: scriptedEngine(echo), authorize: bearerKeys({ [KEY]: 'a', [`${KEY}-2`]: 'b' }) })
  const one = await connect(server, { headers: { authorization: `Bearer ${KEY}` } })
  const other = await connect(server, { headers: { authorization: `Bearer ${KEY}-2` } })
  one.send(create('Hi'))
  const created = await one.frame()
  await one.answer()
  other.send(create('Hi', { previous_response_id: (created['response'] as { id: string }).id }))
  expect(await other.answer()).toMatchObject([{ error: { code: 'previous_response_not_found' } }])
})

test('an Idempotency-Key of the upgrade is not one of its requests', async () => {
  const server = await serve({ engine: scriptedEngine(echo) })
  const client = await connect(server, { headers: { 'idempotency-key': 'k' } })
  client.send(create('a'))
  client.send(create('b'))
  expect([textOf(await client.answer()), textOf(await client.answer())]).toEqual(['1: a', '1: b'])
})

test('connections beyond the limit are refused with 429, until one has left', async () => {
  const server = await serve({ engine: scriptedEngine(echo), limits: { connections: 1 } })
  const client = await connect(server)
  expect(await upgradeStatus(server)).toBe(429)
  client.socket.close()
  await client.closed
  expect(await upgradeStatus(server)).toBe(101)
})

test('an owner with idle connections leaves room for others, and each owner has at least one', async () => {
  const authorize = (request: Request): string | undefined => request.headers.get('authorization')?.slice(7)
  const as = (owner: string) => ({ headers: { authorization: `Bearer ${owner}` } })
  const server = await serve({ engine: scriptedEngine(echo), limits: { connections: 8 }, authorize })
  for (let count = 0; count < 6; count++) await connect(server, as('ann'))
  expect(await upgradeStatus(server, as('ann'))).toBe(429)
  for (const owner of ['bob', 'carol']) {
    const client = await connect(server, as(owner))
    client.send(create('a'))
    expect(textOf(await client.answer())).toBe('1: a')
  }
  expect(await upgradeStatus(server, as('dan'))).toBe(429)
})

test.each(['close', 'terminate'] as const)(
  'a client that leaves (%s) stops the engine, and what waits',
  async (leave) => {
    let stopped = (): void => {}
    const isStopped = new Promise<void>((resolve) => {
      stopped = resolve
    })
    const engine = scriptedEngine(({ signal }) => {
      signal.addEventListener('abort', stopped)
      return [firstTokens(4, answer('One two three four')), hang()]
    })
    const server = await serve({ engine })
    const client = await connect(server)
    client.send(create('a'))
    client.send(create('b'))
    await client.frame()
    client.socket[leave]()
    await isStopped
    await server.service.drain()
    expect(engine.calls).toHaveLength(1)
  },
)

test('onDisconnect: finish makes a response to its end when the client leaves', async () => {
  let open = (): void => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const server = await serve({ engine: scriptedEngine(() => gate.then(() => answer('Done.'))), onDisconnect: 'finish' })
  const client = await connect(server)
  client.send(create('a'))
  const { id } = (await client.frame())['response'] as { id: string }
  client.socket.terminate()
  await client.closed
  open()
  await server.service.drain()
  expect(await server.service.retrieve(id, 'anonymous')).toMatchObject({ status: 'completed' })
})

test('a client that does not read is not answered, until it reads', async () => {
  const engine = scriptedEngine(() => answer('Hi.'))
  const client = await connect(await serve({ engine, keepAliveMs: 0 }))
  client.socket.pause()
  // A megabyte in three events of each response. The buffers of the system take some of them.
  for (let count = 0; count < 10; count += 1) client.send(create('Hi', { user: 'x'.repeat(1_000_000) }))
  for (let before = -1; engine.calls.length === 0 || engine.calls.length !== before; ) {
    before = engine.calls.length
    for (let round = 0; round < 100; round += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  expect(engine.calls.length).toBeLessThan(10)
  client.socket.resume()
  for (let count = 0; count < 10; count += 1) expect(textOf(await client.answer())).toBe('Hi.')
})

test('a client that answers no ping is cut off, and its response stopped', async () => {
  const engine = scriptedEngine([[firstTokens(2, answer('One two three')), hang()]])
  const server = await serve({ engine, keepAliveMs: 5 })
  const client = await connect(server, { autoPong: false })
  client.send(create('Hi'))
  expect(await client.closed).toBe(1006)
  await server.service.drain()
})

test('a socket gets an event during each silence of a response, which repeats the last number and has its lane', async () => {
  let open = (): void => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const server = await serve({ engine: scriptedEngine(() => gate.then(() => answer('Hi.'))), keepAliveMs: 5 })
  const client = await connect(server)
  client.send({ ...create('Hi'), stream_id: 'a' })
  const frames: Frame[] = []
  while (frames.filter(({ type }) => type === 'keepalive').length < 3) frames.push(await client.frame())
  expect(frames.map(({ type }) => type).slice(0, 2)).toEqual(['response.created', 'response.in_progress'])
  for (const frame of frames.slice(2)) expect(frame).toEqual({ type: 'keepalive', sequence_number: 1, stream_id: 'a' })
  open()
  while (frames.at(-1)?.type !== 'response.completed') frames.push(await client.frame())
  const numbers = frames.filter(({ type }) => type !== 'keepalive').map((frame) => frame['sequence_number'])
  expect(numbers).toEqual(numbers.map((_, at) => at))
})

test('a socket in another dialect gets no such event', async () => {
  const engine = scriptedEngine([[firstTokens(2, answer('One two three')), hang()]])
  const client = await connect(await serve({ engine, keepAliveMs: 5, dialect: openResponses }))
  const types: string[] = []
  client.socket.on('message', (data) => types.push(JSON.parse(String(data)).type))
  client.send(create('Hi'))
  for (let pings = 0; pings < 5; pings += 1) await new Promise((resolve) => client.socket.once('ping', resolve))
  expect(types).toContain('response.in_progress')
  expect(types).not.toContain('keepalive')
  client.socket.terminate()
})

test('a client that answers pings stays connected', async () => {
  const client = await connect(await serve({ engine: scriptedEngine(echo), keepAliveMs: 5 }))
  for (let pings = 0; pings < 10; pings += 1) await new Promise((resolve) => client.socket.once('ping', resolve))
  client.send(create('Hi'))
  expect(textOf(await client.answer())).toBe('1: Hi')
})

test('closing ends the responses in progress, refuses new ones with 503, and closes with 1001', async () => {
  let open = (): void => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const server = await serve({ engine: scriptedEngine(() => gate.then(() => answer('Done.'))) })
  const [client, idle] = [await connect(server), await connect(server)]
  client.send(create('a'))
  await client.frame()
  const closing = server.close()
  expect(await idle.closed).toBe(1001)
  client.send(create('b'))
  client.send({ type: 'response.steer', previous_response_id: 'resp_x', input: '' })
  const frames: Frame[] = []
  while (frames.at(-1)?.type !== 'response.steer.failed') frames.push(await client.frame())
  open()
  expect(textOf(await client.answer())).toBe('Done.')
  expect(await client.answer()).toMatchObject([{ type: 'error', status: 503 }])
  expect(await client.closed).toBe(1001)
  await closing
})

test('closing cancels responses that do not end within the grace time, and cuts off clients that do not read', async () => {
  const engine = scriptedEngine(() => [firstTokens(2, answer('One two three')), hang()])
  const server = await serve({ engine })
  const [client, deaf] = [await connect(server), await connect(server)]
  for (const each of [client, deaf]) {
    each.send(create('a'))
    await each.frame()
  }
  deaf.socket.pause()
  await server.close({ graceMs: 1 })
  expect((await client.answer()).at(-1)?.type).toBe('response.failed')
  expect(await client.closed).toBe(1001)
})
