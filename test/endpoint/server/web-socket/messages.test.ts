import { expect, test } from 'vitest'
import { bearerKeys } from '../../../../src/endpoint/server/index.js'
import { answer, hang, scriptedEngine } from '../../../../src/testing/index.js'
import { connect, create, echo, type Frame, isTerminal, serve, textOf } from './sockets.js'

test.each<[what: string, message: string | Buffer, error: object]>([
  ['no JSON', '{"type":', { code: 'invalid_json', param: null }],
  ['JSON that is no object', '[1]', { code: 'invalid_type', message: expect.stringContaining('an array') }],
  ['null', 'null', { code: 'invalid_type' }],
  ['no type', '{}', { code: 'missing_required_parameter', param: 'type' }],
  ['an unknown type', '{"type":"response.cancel"}', { code: 'invalid_value', param: 'type' }],
  ['an inherited type', '{"__proto__":{"type":"response.create"}}', { code: 'missing_required_parameter' }],
  ['a binary frame', Buffer.from('{"type":"response.create"}'), { code: 'invalid_message' }],
  ['a wrong stream_id', '{"type":"response.create","stream_id":"a b"}', { param: 'stream_id', code: 'invalid_value' }],
  [
    'a stream_id that is no text',
    '{"type":"response.create","stream_id":1}',
    { param: 'stream_id', code: 'invalid_type' },
  ],
  ['background', '{"type":"response.create","input":"a","background":true}', { param: 'background' }],
  ['no input', '{"type":"response.create"}', { code: 'missing_required_parameter' }],
  ['a wrong parameter', '{"type":"response.create","input":"a","temperature":3}', { param: 'temperature' }],
  ['depth', `{"type":"response.create","input":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, {}],
])('a wrong message is refused by an error, and the next request is answered: %s', async (_what, message, error) => {
  const client = await connect(await serve({ engine: scriptedEngine(echo) }))
  client.socket.send(message)
  client.send(create('Hi'))
  expect(await client.answer()).toEqual([
    { type: 'error', status: 400, error: { ...FIELDS, type: 'invalid_request_error', ...error } },
  ])
  expect(textOf(await client.answer())).toBe('1: Hi')
})

const FIELDS = {
  code: expect.toSatisfy((code) => code === null || typeof code === 'string'),
  message: expect.any(String),
  param: expect.toSatisfy((param) => param === null || typeof param === 'string'),
}

test('a message with too many values is refused before it is parsed, and the next request is answered', async () => {
  const options = { request: { limits: { values: 100 } } }
  const client = await connect(await serve({ engine: scriptedEngine(echo), ...options }))
  client.socket.send(`{"type":"response.create","input":[${',[]'.repeat(200).slice(1)}]}`)
  client.send(create('Hi'))
  expect(await client.answer()).toMatchObject([{ type: 'error', status: 413, error: { code: 'request_too_large' } }])
  expect(textOf(await client.answer())).toBe('1: Hi')
})

test('the error of a lane has its stream_id', async () => {
  const client = await connect(await serve({ engine: scriptedEngine(echo) }))
  client.send({ type: 'response.create', stream_id: 'one' })
  expect(await client.answer()).toMatchObject([{ type: 'error', stream_id: 'one' }])
})

test('stream, stream_options and background: false are accepted, and change nothing', async () => {
  const client = await connect(await serve({ engine: scriptedEngine(echo) }))
  for (const stream of [true, false]) {
    client.send(create('Hi', { stream, stream_options: { include_obfuscation: true }, background: false }))
    expect(textOf(await client.answer())).toBe('1: Hi')
  }
})

test('steering is refused in the words of the API while the response continues', async () => {
  let open = (): void => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const client = await connect(await serve({ engine: scriptedEngine(() => gate.then(() => answer('Done.'))) }))
  client.send(create('Hi', { stream_id: 'one' }))
  const created = await client.frame()
  await client.frame()
  const { id } = created['response'] as { id: string }
  client.send({ type: 'response.steer', previous_response_id: id, input: 'Stop.' })
  expect(await client.frame()).toMatchObject({
    type: 'response.steer.failed',
    stream_id: 'one',
    steer: { previous_response_id: id, input: 'Stop.' },
    error: { code: 'steering_not_supported' },
  })
  open()
  expect(textOf(await client.answer())).toBe('Done.')
})

test('a message that is too big closes the connection with 1009', async () => {
  const client = await connect(await serve({ engine: scriptedEngine(echo), limits: { bodyBytes: 1000 } }))
  client.send(create('a'.repeat(1000)))
  expect(await client.closed).toBe(1009)
})

test('requests beyond the limit are refused when it is their turn', async () => {
  let open = (): void => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const engine = scriptedEngine(({ messages }) => gate.then(() => answer(String(messages.at(-1)?.content))))
  const client = await connect(await serve({ engine, limits: { waitingRequests: 2 } }))
  for (const input of ['a', 'b', 'c', 'd']) client.send(create(input))
  client.send(create('e', { stream_id: 'other' }))
  const frames: Frame[] = []
  // Nothing is answered on its lane: it is its turn at once.
  while (frames.at(-1)?.stream_id !== 'other') frames.push(await client.frame())
  expect(frames.at(-1)).toMatchObject({ type: 'error', status: 429 })
  open()
  while (frames.filter(isTerminal).length < 5) frames.push(await client.frame())
  const endings = frames.filter(({ stream_id }) => stream_id === undefined).filter(isTerminal)
  expect(endings.map(({ type }) => type)).toEqual(['response.completed', 'response.completed', 'error', 'error'])
  client.send(create('f'))
  expect(textOf(await client.answer())).toBe('f')
})

test('requests that wait have a bounded size together', async () => {
  let open = (): void => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const engine = scriptedEngine(() => gate.then(() => answer('Hi.')))
  const client = await connect(await serve({ engine, limits: { bodyBytes: 1000 } }))
  for (let count = 0; count < 2; count += 1) client.send(create('a'.repeat(600)))
  client.send({ type: 'response.steer', previous_response_id: 'resp_x', input: '' })
  while ((await client.frame()).type !== 'response.steer.failed');
  open()
  expect(textOf(await client.answer())).toBe('Hi.')
  expect(await client.answer()).toMatchObject([{ type: 'error', status: 429, error: { code: 'rate_limit_exceeded' } }])
})

test('an owner at its limit gets an error on any of its sockets, while another one is answered, until it has a place', async () => {
  let open = (): void => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const engine = scriptedEngine(({ messages }) =>
    messages.at(-1)?.content === 'wait' ? gate.then(() => answer('Done.')) : answer('Hi.'),
  )
  const server = await serve({
    engine,
    authorize: bearerKeys({ 'one-0123456789abc': 'a', 'other-0123456789a': 'b' }),
    limits: { concurrencyPerOwner: 1 },
  })
  const connectAs = (key: string) => connect(server, { headers: { authorization: `Bearer ${key}` } })
  const [first, second, other] = [
    await connectAs('one-0123456789abc'),
    await connectAs('one-0123456789abc'),
    await connectAs('other-0123456789a'),
  ]
  first.send(create('wait'))
  await first.frame()
  const error = { code: 'rate_limit_exceeded', headers: { 'retry-after': '1' } }
  second.send(create('Hi'))
  expect(await second.answer()).toMatchObject([{ type: 'error', status: 429, error }])
  first.send(create('Hi', { stream_id: 'lane' }))
  expect((await first.answer()).at(-1)).toMatchObject({ type: 'error', status: 429, error, stream_id: 'lane' })
  other.send(create('Hi'))
  expect(textOf(await other.answer())).toBe('Hi.')
  open()
  expect(textOf(await first.answer())).toBe('Done.')
  second.send(create('Hi'))
  expect(textOf(await second.answer())).toBe('Hi.')
})

test('an owner at its limit has its place back when its socket is lost', async () => {
  const engine = scriptedEngine(({ messages }) => (messages.at(-1)?.content === 'wait' ? hang() : answer('Hi.')))
  const server = await serve({ engine, limits: { concurrencyPerOwner: 1 } })
  const first = await connect(server)
  first.send(create('wait'))
  await first.frame()
  first.socket.terminate()
  while (server.service.load.running > 0) await new Promise((resolve) => setImmediate(resolve))
  const second = await connect(server)
  second.send(create('Hi'))
  expect(textOf(await second.answer())).toBe('Hi.')
})

test('each request of a socket is authorized again: one whose key was removed meanwhile is refused', async () => {
  let owners: Readonly<Record<string, string>> = { 'key-of-ann-0123456789': 'ann' }
  const authorize = (request: Request) => bearerKeys(owners)(request)
  const served = await serve({ engine: scriptedEngine(echo), authorize })
  const client = await connect(served, { headers: { authorization: 'Bearer key-of-ann-0123456789' } })
  client.send(create('Hi'))
  expect(textOf(await client.answer())).toBe('1: Hi')
  const refused = [{ type: 'error', status: 401, error: { code: 'invalid_api_key' } }]
  for (const left of [{ 'key-of-bob-0123456789': 'bob' }, { 'key-of-ann-0123456789': 'bob' }]) {
    owners = left
    client.send(create('Hi'))
    expect(await client.answer()).toMatchObject(refused)
  }
  owners = { 'key-of-ann-0123456789': 'ann' }
  client.send(create('Again'))
  expect(textOf(await client.answer())).toBe('1: Again')
})
