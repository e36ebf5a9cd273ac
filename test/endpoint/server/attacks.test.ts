import { createHash } from 'node:crypto'
import { request as askOverHttp, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { bearerKeys, hashedBearerKeys } from '../../../src/endpoint/server/index.js'
import { type ResponsesServer, serveResponses } from '../../../src/endpoint/server/node.js'
import { answer, hang, scriptedEngine } from '../../../src/testing/index.js'
import { endpoint, JSON_TYPE, tokenTable } from './endpoint.js'

afterEach(() => void vi.useRealTimers())
const says = (text = 'Hi'): ReturnType<typeof endpoint> => endpoint(() => answer(text))

describe('DNS rebinding', () => {
  const { send } = endpoint(() => answer('Hi'), { authorize: undefined as never })
  const statusOf = async (headers: Record<string, string>): Promise<number> =>
    (await send('/v1/models', { headers })).status

  test.each([
    ...[
      'localhost',
      'localhost:8000',
      'LOCALHOST:8000',
      'LocalHost',
      '127.0.0.1',
      '127.0.0.1:1',
      '[::1]',
      '[::1]:8000',
    ],
  ])('a Host of %s is this machine', async (host) => {
    expect(await statusOf({ host })).toBe(200)
    expect(await statusOf({ host, origin: `http://${host.toLowerCase()}` })).toBe(200)
  })

  test.each([
    ...['evil.example', 'evil.example:8000', 'localhost.evil.example', 'evil.example#localhost', '127.0.0.1.nip.io'],
    ...['localhost@evil.example', '[::ffff:127.0.0.1]', '0.0.0.0', '0x7f.1', 'localhost:8000:1', '::1', '[::2]', ''],
  ])('a Host of %j is not this machine', async (host) => {
    expect(await statusOf({ host })).toBe(403)
  })

  test.each([
    ...[
      'https://evil.example',
      'null',
      '',
      'http://localhost.evil.example',
      'http://localhost:9',
      'file://',
      'localhost',
    ],
    'http://localhost:8000, http://evil.example',
  ])('a page of %j may not ask', async (origin) => {
    expect(await statusOf({ host: 'localhost:8000', origin })).toBe(403)
  })

  test('a request with a foreign Host or Origin reaches no model, and its body is not read', async () => {
    const { engine, send } = endpoint(() => answer('Hi'), { authorize: undefined as never })
    let pulled = 0
    for (const foreign of [{ host: 'evil.example' }, { origin: 'https://evil.example' }]) {
      const body = new ReadableStream({ pull: () => void pulled++ }, { highWaterMark: 0 })
      const headers = { 'content-type': 'application/json', ...foreign }
      const { status } = await send('/v1/responses', { method: 'POST', headers, body, duplex: 'half' } as never)
      expect(status).toBe(403)
    }
    expect([engine.calls, pulled]).toEqual([[], 0])
  })

  const PROXIED = [
    { 'x-forwarded-for': '203.0.113.7' },
    { 'X-Forwarded-Host': 'llm.example' },
    { 'x-forwarded-proto': 'https' },
    { 'X-FORWARDED-ANYTHING': '' },
    { 'X-Real-IP': '203.0.113.7' },
    { forwarded: 'for=203.0.113.7' },
    { via: '1.1 proxy' },
  ]

  test.each(PROXIED)(
    'without a key, a request that a proxy forwarded is refused before its body is read: %j',
    async (header) => {
      const { engine, send } = endpoint(() => answer('Hi'), { authorize: undefined as never })
      let pulled = 0
      const body = new ReadableStream({ pull: () => void pulled++ }, { highWaterMark: 0 })
      for (const path of ['/v1/responses', '/v1/chat/completions']) {
        const headers = { 'content-type': 'application/json', host: 'localhost:8000', ...header }
        const response = await send(path, { method: 'POST', headers, body, duplex: 'half' } as never)
        expect(response.status).toBe(403)
        expect(await response.json()).toMatchObject({ error: { code: 'proxied_without_key' } })
      }
      expect([engine.calls, pulled]).toEqual([[], 0])
    },
  )

  test.each(PROXIED)(
    'with a key, or hosts of its own, the endpoint answers requests that a proxy forwarded: %j',
    async (header) => {
      for (const options of [{}, { authorize: undefined as never, hosts: 'any' as const }]) {
        const { send } = endpoint([], options)
        const headers = { host: 'localhost', authorization: 'Bearer alice', ...header } as Record<string, string>
        expect((await send('/v1/models', { headers })).status).toBe(200)
      }
    },
  )

  test('probes of a server without a key are answered through a proxy', async () => {
    const { send } = endpoint([], { authorize: undefined as never })
    for (const path of ['/healthz', '/readyz', '/health']) {
      expect((await send(path, { headers: { 'x-forwarded-for': '203.0.113.7' } })).status).toBe(200)
    }
  })

  test('names that the host allows are compared without their case and their port', async () => {
    const { send } = endpoint([], { hosts: ['Box.Local:8000'], authorize: undefined as never })
    for (const host of ['box.local', 'BOX.local:8000', 'box.local:9']) {
      expect((await send('/v1/models', { headers: { host } })).status).toBe(200)
    }
    expect((await send('/v1/models', { headers: { host: 'localhost' } })).status).toBe(403)
  })
})

describe('CORS', () => {
  const origin = 'https://chat.example'
  const { send, ask } = endpoint(() => answer('Hi'), { origins: [origin], authorize: () => undefined })
  const preflight = (from: string, headers = 'authorization, x-stainless-os'): Promise<Response> =>
    send('/v1/responses', {
      method: 'OPTIONS',
      headers: {
        origin: from,
        'access-control-request-method': 'POST',
        'access-control-request-headers': headers,
      },
    })

  test('a page of an origin that is allowed is let in, with the headers that the SDK sends', async () => {
    const response = await preflight(origin)
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe(origin)
    expect(response.headers.get('access-control-allow-headers')).toContain('x-stainless-os')
    expect(response.headers.get('vary')).toBe('origin')
  })

  test('a page of an origin that is allowed can read errors, too', async () => {
    const { status, headers } = await ask('GET', '/models', undefined, { origin })
    expect([status, headers.get('access-control-allow-origin')]).toEqual([401, origin])
  })

  test.each(['https://evil.example', 'https://chat.example.evil.example', 'https://CHAT.example', 'null', '*'])(
    'a page of %s is not let in',
    async (from) => {
      const response = await preflight(from)
      expect(response.status).toBe(403)
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
    },
  )

  test('header names that are none are not sent back', async () => {
    const response = await preflight(origin, 'x-a, evil<script>, y b')
    expect(response.headers.get('access-control-allow-headers')).not.toMatch(/[<> ]b|script/)
  })

  test('without the option origins, no answer allows an origin', async () => {
    const { headers } = await says().ask('GET', '/models', undefined, { origin: 'http://localhost' })
    expect(headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('keys', () => {
  test('keys are of the owners that the host named', async () => {
    const authorize = bearerKeys({
      'key-ann-012345678': 'ann',
      'key-ann-012345678-2': 'ann',
      'key-bob-012345678': 'bob',
    })
    const { create, ask } = endpoint(() => answer('Hi'), { authorize })
    const { body } = await create({ input: 'Hi' }, { authorization: 'Bearer key-ann-012345678' })
    const get = (authorization: string): ReturnType<typeof ask> =>
      ask('GET', `/responses/${body.id}`, undefined, { authorization })
    expect((await get('Bearer key-ann-012345678-2')).status).toBe(200)
    expect((await get('bearer  key-ann-012345678')).status).toBe(200)
    expect((await get('Bearer key-bob-012345678')).status).toBe(404)
    for (const wrong of [
      'Bearer key-ann-01234567',
      'Bearer key-ann-0123456789',
      'Bearer',
      'key-ann-012345678',
      'Basic key-ann-012345678',
      'Bearer __proto__',
    ]) {
      const refused = await get(wrong)
      expect([refused.status, refused.body.error.code]).toEqual([401, 'invalid_api_key'])
      expect(JSON.stringify(refused.body)).not.toContain('key-an')
    }
  })

  test('keys of which the host has the hashes alone let in their owners, and no hash is a key', async () => {
    const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex')
    const authorize = hashedBearerKeys({
      [hashOf('key-ann-012345678')]: 'ann',
      [hashOf('schlüssel').toUpperCase()]: 'bob',
    })
    const as = (authorization?: string): unknown =>
      authorize(new Request('http://localhost', { headers: authorization === undefined ? {} : { authorization } }))
    expect(await as('Bearer key-ann-012345678')).toBe('ann')
    for (const wrong of [
      undefined,
      'Bearer',
      'Bearer key-ann-01234567',
      `Bearer ${hashOf('key-ann-012345678')}`,
      'Bearer __proto__',
    ]) {
      expect(await as(wrong)).toBeUndefined()
    }
  })

  test('keys are compared by their digests: a wrong key takes as much work, wherever it is wrong', async () => {
    const secret = 'sk-0123456789abcdef'
    const authorize = bearerKeys({ [secret]: 'me', 'sk-another-0123456': 'you' })
    const asked = (key: string): Request =>
      new Request('http://localhost', { headers: { authorization: `Bearer ${key}` } })
    // The digests of its own keys are made once.
    await authorize(asked(secret))
    const digest = vi.spyOn(crypto.subtle, 'digest')
    const wrong = Array.from(secret, (_, at) => `${secret.slice(0, at)}?${secret.slice(at + 1)}`)
    for (const key of [secret, ...wrong, secret.slice(1), secret + secret, '']) {
      digest.mockClear()
      expect(await authorize(asked(key))).toBe(key === secret ? 'me' : undefined)
      expect(digest).toHaveBeenCalledTimes(1)
    }
    digest.mockRestore()
  })

  test.each([undefined, null, false, '', 0])('an authorize that answers %j refuses every request', async (nobody) => {
    const { ask } = endpoint([], { authorize: () => nobody as never })
    expect((await ask('GET', '/models')).status).toBe(401)
  })

  test('an authorize that throws is a 500, and says nothing', async () => {
    const { ask, errors } = endpoint([], { authorize: () => Promise.reject(new Error('ldap://secret')) })
    const { status, body } = await ask('GET', '/models')
    expect([status, JSON.stringify(body).includes('ldap'), errors.length]).toEqual([500, false, 1])
  })
})

test("another owner's response is as if there were none, whatever is asked of it", async () => {
  const { create, ask } = endpoint([hang(), hang(), answer('Hi')])
  const ann = { authorization: 'Bearer ann' }
  const { body } = await create({ input: 'Hi', background: true }, ann)
  for (const id of [body.id as string, 'resp_none']) {
    for (const [method, path] of [
      ['GET', `/responses/${id}`],
      ['GET', `/responses/${id}?stream=true`],
      ['GET', `/responses/${id}/input_items`],
      ['POST', `/responses/${id}/cancel`],
      ['DELETE', `/responses/${id}`],
    ] as const) {
      const { status, body } = await ask(method, path, undefined, { authorization: 'Bearer bob' })
      expect([method, path, status, body.error.message.replace(id, 'ID')]).toEqual([
        ...[method, path, 404, "Response with id 'ID' not found."],
      ])
    }
  }
  expect((await ask('GET', `/responses/${body.id}`, undefined, ann)).body.status).toBe('in_progress')
  await ask('POST', `/responses/${body.id}/cancel`, undefined, ann)
})

test('ids cannot be guessed: each has 200 random bits', async () => {
  const { create } = says()
  const ids = await Promise.all(Array.from({ length: 20 }, async () => (await create({ input: 'Hi' })).body.id))
  for (const id of ids) expect(id).toMatch(/^resp_[\da-f]{50}$/)
  expect(new Set(ids).size).toBe(20)
})

describe('a body', () => {
  const post = (
    send: ReturnType<typeof says>['send'],
    body: string | ReadableStream,
    headers = {},
  ): Promise<Response> =>
    send('/v1/responses', { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body, duplex: 'half' } as never)

  test('a body of a gigabyte is refused unread if its length says so', async () => {
    let pulled = 0
    const body = new ReadableStream({ pull: () => void pulled++ }, { highWaterMark: 0 })
    const response = await post(says().send, body, { 'content-length': String(2 ** 30) })
    expect([response.status, pulled]).toEqual([413, 0])
  })

  test('a body of a gigabyte without a length is read no further than is allowed', async () => {
    let [pulled, isCancelled] = [0, false]
    const chunk = new Uint8Array(2 ** 20).fill(0x20)
    const body = new ReadableStream(
      {
        pull(controller) {
          pulled += 1
          if (pulled > 1024) controller.close()
          else controller.enqueue(chunk)
        },
        cancel() {
          isCancelled = true
        },
      },
      { highWaterMark: 0 },
    )
    expect((await post(says().send, body)).status).toBe(413)
    expect([pulled, isCancelled]).toEqual([33, true])
  })

  test('a body that does not come is refused with 408', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const answered = post(says().send, new ReadableStream({ pull: () => new Promise(() => {}) }))
    await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(29_999)
    expect(await Promise.race([answered, 'waiting'])).toBe('waiting')
    await vi.advanceTimersByTimeAsync(1)
    expect((await answered).status).toBe(408)
  })

  test('a body that breaks off is refused, and is no error of the host', async () => {
    const { send, errors } = says()
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('ECONNRESET')) })
    expect((await post(send, broken)).status).toBe(400)
    expect(errors).toEqual([])
  })

  test.each(['', '{', 'null', '[]', '"text"', '1', '\ud800', '{"input": NaN}', '\0'])(
    'the body %j is refused',
    async (text) => {
      const { send, errors } = says()
      const response = await post(send, text)
      expect([response.status, errors]).toEqual([400, []])
      expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } })
    },
  )

  test('a body of a million items is refused', async () => {
    const { send, errors } = says()
    const response = await post(send, `{"input":[${'{},'.repeat(999_999)}{}]}`)
    expect([response.status, errors]).toEqual([413, []])
  })

  test.each([
    ['arrays', (depth: number) => '['.repeat(depth) + ']'.repeat(depth)],
    ['objects', (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`],
  ])('a body of 100,000 nested %s is refused', async (_, nested) => {
    const { send, errors } = says()
    for (const field of ['input', 'metadata', 'tools', 'unknown_field']) {
      const response = await post(send, `{"model":"x","input":"Hi","${field}":${nested(100_000)}}`, {
        'idempotency-key': 'k',
      })
      expect([field, response.status, errors]).toEqual([field, 400, []])
    }
  })

  test('a body with metadata beyond its bounds is refused', async () => {
    const { create } = says()
    const many = Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, 'v']))
    for (const metadata of [many, { ['k'.repeat(65)]: 'v' }, { k: 'v'.repeat(513) }, { k: 1 }, { k: {} }]) {
      expect((await create({ input: 'Hi', metadata })).status).toBe(400)
    }
  })

  test('a body cannot reach prototypes, by any name and in any place', async () => {
    const { send, errors, ask } = says()
    // Any name is a model where none is named.
    const named = endpoint(() => answer('Hi.'), { models: ['gpt-oss'] })
    for (const key of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']) {
      const evil = `{"${key}":{"polluted":"yes","prototype":{"polluted":"yes"},"store":false,"type":"message"}}`
      const strings = `{"${key}":"yes"}`
      const fn = `{"type":"function","name":"${key}","strict":false,"parameters":{"properties":${evil}}}`
      for (const body of [
        `{"input":"Hi","${key}":{"store":false,"polluted":"yes"}}`,
        `{"input":"Hi","metadata":${strings}}`,
        `{"input":"Hi","tools":[${fn}]}`,
        `{"input":"Hi","tools":[${fn}],"tool_choice":{"type":"function","name":"${key}"}}`,
        `{"input":"Hi","text":${evil}}`,
        `{"input":[{"type":"${key}"}]}`,
        `{"input":[{"type":"item_reference","id":"${key}"}]}`,
        `{"input":"Hi","previous_response_id":"${key}"}`,
        `{"input":[{"role":"user","content":[${evil}]}]}`,
        `{"input":[{"role":"${key}","content":"Hi"}]}`,
        `{"input":"Hi","reasoning":${evil}}`,
        `{"input":"Hi","model":"${key}"}`,
      ]) {
        const response = await post(send, body, { 'idempotency-key': `${key}${body.length}` })
        expect([body, response.status < 500]).toEqual([body, true])
        expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
        const answered = (await response.json()) as { store?: boolean }
        // A field under the prototype's name is not the field.
        if (response.status === 200) expect(answered.store).toBe(true)
      }
      expect((await ask('GET', `/responses/${key}`)).status).toBe(404)
      expect((await named.ask('GET', `/models/${key}`)).status).toBe(404)
    }
    expect(errors).toEqual([])
    expect(Object.keys(Object.prototype)).toEqual([])
  })
})

test.each([
  ...['..%2f..%2fhealthz', '%2e%2e', '..%5c', '%00', '%', '%E0%A4%A', '%0d%0aset-cookie:a=b', 'a'.repeat(100_000)],
  ...['resp_x%2finput_items', 'resp_x;a=b', '*', '%F0%9F%98%80', '%3Fstream=true'],
])('an id of %s is an unknown id', async (id) => {
  const { send, errors } = says()
  for (const method of ['GET', 'DELETE']) {
    const response = await send(`/v1/responses/${id}`, { method })
    const text = await response.text()
    expect([response.status, errors]).toEqual([404, []])
    expect(text.length).toBeLessThan(500)
    expect(response.headers.get('set-cookie')).toBeNull()
  }
})

test.each(['stream=yes', 'stream=', 'stream=1', 'stream=TRUE', 'stream[]=true&stream=x', 'stream=%'])(
  'a query of %s is refused',
  async (query) => {
    const { create, send } = says()
    const { body } = await create({ input: 'Hi' })
    expect((await send(`/v1/responses/${body.id}?${query}`)).status).toBe(400)
  },
)

test('nothing that a model or a client says becomes a header', async () => {
  const evil = 'x\r\nset-cookie: a=b\r\n\r\n<script>'
  const { create, stream } = says(evil)
  const { headers, body } = await create({ input: evil, metadata: { [evil]: evil }, user: evil, model: evil })
  expect(body.status).toBe('completed')
  expect([...headers.values()].join()).not.toMatch(/a=b|script/)
  expect((await create({ input: 'Hi' }, { 'x-request-id': 'mine' })).headers.get('x-request-id')).not.toBe('mine')
  const events = await stream('/responses', { input: evil })
  expect(events.at(-1)?.response.output[0].content[0].text).toBe(evil)
})

describe('over HTTP', () => {
  let server: ResponsesServer
  const errors: unknown[] = []
  beforeAll(async () => {
    const engine = scriptedEngine(() => answer('Hi'), { tokenTable })
    server = await serveResponses({ engine, tokenTable, port: 0, onError: (error) => void errors.push(error) })
  })
  afterAll(() => server.close({ graceMs: 0 }))

  /** The answer to a raw request, up to the end of the connection or of the headers. */
  const raw = (text: string, more?: string): Promise<string> =>
    new Promise((resolve) => {
      let got = ''
      const socket = connect(server.port, '127.0.0.1', () => socket.write(text))
      const finish = (): void => {
        socket.destroy()
        resolve(got)
      }
      const flood = (): void => {
        while (more !== undefined && !socket.destroyed && socket.write(more));
      }
      socket.on('drain', flood)
      socket.once('connect', flood)
      socket.on('error', finish)
      socket.on('close', finish)
      socket.on('data', (data) => {
        got += data
        if (got.includes('\r\n\r\n')) finish()
      })
    })

  test('a request without a Host is refused', async () => {
    expect(await raw('GET /v1/models HTTP/1.1\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /)
  })

  test('a rebound name is refused', async () => {
    expect(await raw('GET /v1/models HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n')).toMatch(/ 403 /)
    const absolute = 'GET http://localhost/v1/models HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n'
    expect(await raw(absolute)).toMatch(/ (400|403) /)
    const twice = 'GET /v1/models HTTP/1.1\r\nHost: evil.example\r\nHost: localhost\r\nConnection: close\r\n\r\n'
    expect(await raw(twice)).toMatch(/ (400|403) /)
  })

  test('a body of a gigabyte is answered without being read', async () => {
    const head = 'POST /v1/responses HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
    expect(await raw(`${head}Content-Length: 1073741824\r\n\r\n{`)).toMatch(/ 413 /)
  })

  test('a body in chunks without end is answered when it is too long', async () => {
    const head = 'POST /v1/responses HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
    const chunk = `100000\r\n${' '.repeat(0x100000)}\r\n`
    expect(await raw(`${head}Transfer-Encoding: chunked\r\n\r\n`, chunk)).toMatch(/^(HTTP\/1\.1 413 |$)/)
  })

  test('a body that the client breaks off is no error of the host, and the next request is answered', async () => {
    const head = 'POST /v1/responses HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
    const socket = connect(server.port, '127.0.0.1')
    socket.write(`${head}Content-Length: 100\r\n\r\n{"input"`)
    await new Promise((resolve) => socket.once('connect', resolve))
    socket.destroy()
    await new Promise((resolve) => socket.once('close', resolve))
    const body = '{"input":"Hi"}'
    expect(await raw(`${head}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`)).toMatch(/ 200 /)
    expect(errors).toEqual([])
  })

  test('headers of a megabyte are refused', async () => {
    const head = `GET /v1/models HTTP/1.1\r\nHost: localhost\r\nX-A: ${'a'.repeat(2 ** 20)}\r\n\r\n`
    expect(await raw(head)).toMatch(/^(HTTP\/1\.1 431 |$)/)
  })

  test('duplicate headers are no key and no error', async () => {
    const incoming = await new Promise<IncomingMessage>((resolve) => {
      const headers = { authorization: ['Bearer a', 'Bearer b'], 'idempotency-key': ['a', 'b'], ...JSON_TYPE }
      const asked = askOverHttp(
        { port: server.port, host: '127.0.0.1', path: '/v1/responses', method: 'POST', headers: headers as never },
        resolve,
      )
      asked.end('{"input":"Hi"}')
    })
    incoming.resume()
    expect(incoming.statusCode).toBe(200)
    expect(errors).toEqual([])
  })

  test('a stream tells proxies not to buffer, and nothing about the connection on its own', async () => {
    const init = { method: 'POST', headers: JSON_TYPE, body: '{"input":"Hi","stream":true}' }
    const { headers } = await fetch(`${server.url}/v1/responses`, init)
    expect(headers.get('x-accel-buffering')).toBe('no')
    expect(headers.get('cache-control')).toBe('no-cache, no-transform')
  })
})

test('an event keeps a stream alive while nothing comes, on fetch runtimes too, and repeats the last number', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const { send, ask } = endpoint([hang()], { keepAliveMs: 15_000 })
  const { body } = await ask('POST', '/responses', { input: 'Hi', background: true })
  const response = await send(`/v1/responses/${body.id}?stream=true`)
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  let text = ''
  while (!text.includes('in_progress\n')) text += new TextDecoder().decode((await reader.read()).value)
  const next = reader.read()
  // In the first interval the last event came.
  await vi.advanceTimersByTimeAsync(30_000)
  const alive = 'event: keepalive\ndata: {"type":"keepalive","sequence_number":1}\n\n'
  expect(new TextDecoder().decode((await next).value)).toBe(alive)
  await ask('POST', `/responses/${body.id}/cancel`)
  await reader.cancel()
})
