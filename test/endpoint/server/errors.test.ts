import { describe, expect, test } from 'vitest'
import type { ResponsesAppOptions } from '../../../src/endpoint/server/index.js'
import { createMemoryStore, type ResponseStore } from '../../../src/endpoint/stores/index.js'
import { EngineError } from '../../../src/engines/contract/index.js'
import { answer, fail, firstTokens, scriptedEngine, think } from '../../../src/testing/index.js'
import { endpoint } from './endpoint.js'

const failing = (error: Error, response: ResponsesAppOptions['response'] = {}): ReturnType<typeof endpoint> =>
  endpoint(() => [think('Let me see.'), firstTokens(5, answer('This is not said to the end.')), fail(error)], {
    response,
  })

describe('an engine that fails', () => {
  test.each([
    [new EngineError('server_error', 'connect ECONNREFUSED 10.0.0.1:8000'), 500, 'server_error', 'server_error'],
    [new Error('secret path /etc/engine'), 500, 'server_error', 'server_error'],
    [new EngineError('rate_limit_exceeded', 'Slow down.'), 429, 'rate_limit_exceeded', 'rate_limit_error'],
    [new EngineError('context_length_exceeded', 'Too long.'), 400, 'context_length_exceeded', 'invalid_request_error'],
  ])('without streaming, an engine that fails with %s is %i with the code %s', async (error, status, code, type) => {
    const { create, errors } = failing(error)
    const answered = await create({ input: 'Hi' })
    expect(answered.status).toBe(status)
    expect(answered.body).toEqual({ error: { message: expect.any(String), type, param: null, code } })
    expect(JSON.stringify(answered.body)).not.toMatch(/ECONN|10\.0|secret|etc/)
    expect(errors).toEqual([error])
    expect(answered.headers.get('retry-after')).toBe(status === 429 ? '1' : null)
  })

  test('an engine that fails in mid-stream is an event, and what came before is whole', async () => {
    const { stream, errors } = failing(new Error('secret'))
    const events = await stream('/responses', { input: 'Hi' })
    expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: { status: 'failed' } })
    expect(JSON.stringify(events)).not.toContain('secret')
    expect(errors).toHaveLength(1)
  })

  test("the SDK throws an engine's failure as a server error", async () => {
    const { client } = failing(new Error('broken'))
    const asked = client().responses.create({ model: 'gpt-oss', input: 'Hi' })
    await expect(asked).rejects.toMatchObject({ status: 500, type: 'server_error' })
  })
})

describe('a failure in the middle of an answer', () => {
  const engines: readonly (readonly [string, Error])[] = [
    ['an engine that is broken', new EngineError('server_error', 'connect ECONNREFUSED 10.0.0.1:8000')],
    ['an engine that throws an error of its own', new TypeError('x is not a function')],
    ['an engine without capacity', new EngineError('rate_limit_exceeded', 'Slow down.')],
    ['an engine whose context is full', new EngineError('context_length_exceeded', 'Too long.')],
    ['an engine that rejects the prompt', new EngineError('invalid_prompt', 'No.')],
    [
      'an engine that takes no calls',
      new EngineError('server_error', 'x', { isUnavailable: true, reason: 'starting' }),
    ],
  ]
  const kinds = [
    ...engines.map(([name, error]) => [name, () => failing(error)] as const),
    [
      'a stream with an event for errors',
      () => failing(new EngineError('invalid_prompt', 'No.'), { errorEvent: true }),
    ],
  ] as const

  /** The last JSON that a stream has. */
  async function lastFrame({ send }: ReturnType<typeof endpoint>, path: string, body: object): Promise<unknown> {
    const response = await send(`/v1${path}`, { method: 'POST', body: JSON.stringify({ ...body, stream: true }) })
    expect(response.status).toBe(200)
    return JSON.parse([...(await response.text()).matchAll(/^data: (\{.*\})$/gm)].at(-1)?.[1] ?? '')
  }

  test.each(kinds)('%s: a stream of Chat Completions has the error of a whole answer', async (_, served) => {
    const body = { messages: [{ role: 'user', content: 'Hi' }] }
    const whole = await served().ask('POST', '/chat/completions', body)
    expect(whole.status).toBeGreaterThanOrEqual(400)
    expect(await lastFrame(served(), '/chat/completions', body)).toEqual(whole.body)
  })

  test.each(kinds)('%s: a stream of Messages has the error of a whole answer', async (_, served) => {
    const body = { max_tokens: 99, messages: [{ role: 'user', content: 'Hi' }] }
    const { status, body: whole } = await served().ask('POST', '/messages', body)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(await lastFrame(served(), '/messages', body)).toEqual({ type: 'error', error: whole.error })
  })
})

test('a prompt that does not fit into the context is 400', async () => {
  const { create } = endpoint(scriptedEngine(() => answer('Hi'), { contextLength: 30 }))
  const { status, body } = await create({ input: 'Hi' })
  expect([status, body.error.code]).toEqual([400, 'context_length_exceeded'])
})

test('a prompt that does not fit is refused in the words by which clients know it, in all APIs', async () => {
  const { ask } = endpoint(scriptedEngine(() => answer('Hi'), { contextLength: 30 }))
  const messages = [{ role: 'user', content: 'Hi' }]
  const told = await Promise.all([
    ask('POST', '/responses', { input: 'Hi' }),
    ask('POST', '/chat/completions', { messages }),
    ask('POST', '/messages', { messages, max_tokens: 9 }),
  ])
  const words =
    "This model's maximum context length is 30 tokens. Input tokens exceed the configured limit. " +
    'Your input exceeds the context window of this model.'
  for (const { body } of told) expect(body.error.message).toContain(words)
  expect(told[0]?.body.error.message).toMatch(/^This model's maximum/)
  expect(told[1]?.body.error.message).toMatch(/^This model's maximum/)
})

describe('a store that fails', () => {
  const failingAt = (method: keyof ResponseStore, error: Error, from = 1): ResponseStore => {
    const store = createMemoryStore()
    let calls = 0
    return new Proxy(store, {
      get(target, name) {
        if (name !== method) return Reflect.get(target, name)
        return async (...given: unknown[]) => {
          calls += 1
          if (calls >= from) throw error
          return await (target[method] as (...all: unknown[]) => unknown)(...given)
        }
      },
    })
  }
  const broken = new Error('redis://user:pass@10.0.0.1 is gone')

  test.each([
    ['open', 1, 503],
    ['append', 1, 503],
    ['append', 3, 503],
    ['findKey', 1, 503],
  ] as const)(
    'a store that fails in %s (call %i) is a neutral %i, told to the host once',
    async (method, from, expected) => {
      const { create, errors, service } = endpoint(() => answer('Hi'), { store: failingAt(method, broken, from) })
      const { status, body } = await create({ input: 'Hi' }, { 'idempotency-key': 'k' })
      expect([status, body.error.type]).toEqual([expected, 'server_error'])
      expect(JSON.stringify(body)).not.toMatch(/redis|10\.0/)
      expect(errors).toEqual([broken])
      expect(service.load).toEqual({ running: 0, waiting: 0 })
    },
  )

  test.each(['stop', 'finish'] as const)(
    'a store that fails ends a stream by one failure, with onDisconnect %s',
    async (onDisconnect) => {
      const store = failingAt('append', broken, 5)
      const { send, errors, service } = endpoint(() => answer('Hi there'), { store, onDisconnect })
      const response = await send('/v1/responses', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ input: 'Hi', stream: true }),
      })
      expect(await response.text()).toMatch(/event: response.failed\ndata: .*cannot reach its storage.*\n\n$/)
      expect(errors).toEqual([broken])
      expect(service.load.running).toBe(0)
    },
  )

  test('a store that fails does not delay the readers of a response in the background', async () => {
    const { create, send, errors } = endpoint(() => answer('Hi there'), { store: failingAt('append', broken, 5) })
    const { body } = await create({ input: 'Hi', background: true })
    const response = await send(`/v1/responses/${body.id}?stream=true`).then((got) => got.text().catch(String))
    expect(response).toBeTypeOf('string')
    expect(errors).toContain(broken)
  })
})

test('an onError that throws changes nothing', async () => {
  const { create } = endpoint(() => fail(new Error('x')), {
    onError() {
      throw new Error('the logger is broken')
    },
  })
  expect((await create({ input: 'Hi' })).status).toBe(500)
})

test('a URL that there is not is 404 in the shape of an error', async () => {
  const { ask } = endpoint([])
  const { status, body } = await ask('GET', '/nothing')
  expect([status, body.error.code, body.error.type]).toEqual([404, 'unknown_url', 'invalid_request_error'])
  expect((await ask('PUT', '/responses', {})).status).toBe(404)
})

test('every answer of the API has a request id of its own, errors too', async () => {
  const { ask, create } = endpoint(() => answer('Hi'))
  const answers = [await ask('GET', '/models'), await create({}), await create({ input: 'Hi' })]
  const ids = answers.map(({ headers }) => headers.get('x-request-id'))
  for (const id of ids) expect(id).toMatch(/^req_[\da-f]{32}$/)
  expect(new Set(ids).size).toBe(3)
})
