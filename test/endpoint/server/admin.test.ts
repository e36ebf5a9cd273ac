import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type {
  AdminInterval,
  AdminNow,
  AdminParts,
  AdminRequest,
  AdminRequests,
  AdminSeries,
  ResponsesAppOptions,
} from '../../../src/endpoint/server/index.js'
import { bearerKeys } from '../../../src/endpoint/server/index.js'
import { createMemoryStore } from '../../../src/endpoint/stores/memory-store.js'
import { answer, call, fail, scriptedEngine, think } from '../../../src/testing/index.js'
import { declaredType, propertiesOf } from '../../support/declared-type.js'
import { typeOracle } from '../../support/type-oracle.js'
import { type Endpoint, endpoint, heldEngine, until } from './endpoint.js'

const OPERATOR = 'the-key-of-the-operator'
const authorizeOperator = bearerKeys({ [OPERATOR]: 'operator' })
const AS_OPERATOR = { authorization: `Bearer ${OPERATOR}` }

const TYPES = fileURLToPath(new URL('../../../src/endpoint/server/admin/types.ts', import.meta.url))

/** A clock that the test sets, in Unix seconds. */
function clockAt(start: number) {
  const clock = () => clock.at
  clock.at = start
  return clock
}

const operated = <Given extends Parameters<typeof endpoint>[0]>(
  given: Given,
  options: Partial<ResponsesAppOptions> = {},
) => endpoint(given, { authorizeOperator, ...options })

async function asked<Body>({ send }: Endpoint, path: string, init: RequestInit = {}): Promise<Body> {
  const response = await send(`/admin/${path}`, { headers: AS_OPERATOR, ...init })
  expect([path, response.status]).toEqual([path, 200])
  return (await response.json()) as Body
}

async function refusal({ send }: Endpoint, path: string, init: RequestInit = {}) {
  const response = await send(`/admin/${path}`, init)
  return [response.status, ((await response.json()) as { error: { code: string; message: string } }).error] as const
}

const PATHS = ['now', 'requests', 'series', 'parts'] as const
const POST = { method: 'POST' } as const

describe('without the key of the operator', () => {
  test.each([[{}], [{ authorization: 'Bearer ann' }], [{ authorization: 'Bearer another-key-0123456789' }]])(
    'every route is refused to %j by a sentence that names the key',
    async (headers) => {
      for (const options of [{}, { authorizeOperator: undefined as never }]) {
        const served = operated([], options)
        const cancelling = await refusal(served, 'responses/resp_1/cancel', { ...POST, headers })
        const all = [cancelling, ...(await Promise.all(PATHS.map((path) => refusal(served, path, { headers }))))]
        for (const [status, { code, message }] of all) {
          expect([status, code]).toEqual([403, 'operator_key_required'])
          expect(message).toContain('HARMONY_RESPONSES_OPERATOR_KEY')
        }
      }
    },
  )

  test('a host keeps its own pages below /admin, and those that have the same path', async () => {
    const page = () => new Response('mine')
    const served = operated([], { pages: { '/admin/mine': page, '/admin/now': page } })
    for (const path of ['mine', 'now']) expect(await (await served.send(`/admin/${path}`)).text()).toBe('mine')
    expect((await served.send('/admin/none')).status).toBe(404)
  })

  test('the host is checked first', async () => {
    const headers = { ...AS_OPERATOR, host: 'evil.example' }
    const served = operated([], { authorize: undefined as never })
    expect((await refusal(served, 'now', { headers }))[1].code).toBe('host_not_allowed')
  })
})

describe('GET /admin/now', () => {
  test('lists what runs, with its owner, its tokens and its speed', async () => {
    const engine = heldEngine(5)
    let time = 0
    const served = operated(engine, { now: () => time, models: ['gpt-oss'] })
    const { body } = await served.create({ input: 'Hi', background: true }, { authorization: 'Bearer ann' })
    await until(() => engine.sampled === 5)
    time = 2000
    const now = await asked<AdminNow>(served, 'now')
    expect(now.running).toEqual([
      {
        id: body.id,
        owner: 'ann',
        engine: 'gpt-oss',
        age_seconds: 2,
        tokens: 5,
        tokens_per_second: 2,
        cached_share: null,
      },
    ])
    expect(now.memory.used_bytes).toBeGreaterThan(0)
    await asked(served, `responses/${body.id}/cancel`, POST)
    expect((await asked<AdminNow>(served, 'now')).running).toEqual([])
  })

  test('tells the share of the prompt that the engine had cached', async () => {
    const engine = scriptedEngine(() => [think('a'), answer('b')])
    const held = heldEngine(1)
    const served = operated({
      ...engine,
      generate(prompt, options) {
        options?.onUsage?.({ inputTokens: 40, cachedTokens: 30 })
        return held.generate(prompt, options)
      },
    })
    await served.create({ input: 'Hi', background: true })
    await until(() => held.sampled === 1)
    expect((await asked<AdminNow>(served, 'now')).running[0]?.cached_share).toBe(0.75)
    await served.drain(AbortSignal.abort())
  })

  test('counts requests that wait for a place', async () => {
    const engine = heldEngine(1)
    const served = operated(engine, { limits: { concurrency: 1 } })
    await served.create({ input: 'Hi', background: true })
    await served.create({ input: 'Hi', background: true })
    await until(() => engine.sampled === 1)
    expect((await asked<AdminNow>(served, 'now')).waiting).toBe(1)
    await served.drain(AbortSignal.abort())
  })
})

describe('GET /admin/requests', () => {
  test('lists what was answered, with its status, its response, and why it failed', async () => {
    const served = operated([answer('Hi')])
    const { body } = await served.create({ input: 'Hi' }, { authorization: 'Bearer ann' })
    const refused = await served.create({ input: 7 })
    const { data, last, has_more } = await asked<AdminRequests>(served, 'requests')
    expect(data).toMatchObject([
      {
        owner: 'ann',
        route: '/v1/responses',
        status: 200,
        response_id: body.id,
        response_status: 'completed',
        code: null,
        why: null,
      },
      {
        owner: 'anonymous',
        status: 400,
        response_id: null,
        code: 'invalid_type',
        why: 'A parameter has the wrong type.',
      },
    ])
    expect(data[1]?.request_id).toBe(refused.headers.get('x-request-id'))
    expect([last, has_more]).toEqual([data[1]?.number, false])
  })

  test('a response that ends after its request is listed on its own', async () => {
    const engine = heldEngine(1)
    const served = operated(engine)
    const { body } = await served.create({ input: 'Hi', background: true })
    await asked(served, `responses/${body.id}/cancel`, POST)
    const { data } = await asked<AdminRequests>(served, 'requests')
    expect(data.map(({ method, status, response_status }) => [method, status, response_status])).toEqual([
      ['POST', 200, null],
      [null, null, 'cancelled'],
    ])
  })

  test('so is one that had to wait for its turn until its request was over', async () => {
    const engine = heldEngine(1)
    const served = operated(engine, { limits: { concurrency: 1 } })
    const ids: string[] = []
    for (const input of ['first', 'second']) ids.push((await served.create({ input, background: true })).body.id)
    await until(() => engine.sampled === 1)
    for (const id of ids) {
      while ((await asked<AdminNow>(served, 'now')).running[0]?.id !== id) await new Promise(setImmediate)
      await asked(served, `responses/${id}/cancel`, POST)
    }
    const { data } = await asked<AdminRequests>(served, 'requests')
    expect(data.filter(({ method }) => method === null).map(({ response_id }) => response_id)).toEqual(ids)
  })

  test('a response that failed tells its code, once', async () => {
    const served = operated([[think('Hm'), fail()]])
    await served.create({ input: 'Hi' })
    const { data } = await asked<AdminRequests>(served, 'requests')
    expect(data).toMatchObject([{ status: 500, response_status: 'failed', code: 'server_error' }])
    const { data: intervals } = await asked<AdminSeries>(served, 'series')
    expect(intervals.at(-1)?.errors).toEqual({ server_error: 1 })
  })

  test('comes in pages, after the last one that the reader has', async () => {
    const served = operated([])
    for (let nth = 0; nth < 5; nth++) await served.ask('GET', `/responses/resp_${nth}`)
    const first = await asked<AdminRequests>(served, 'requests?limit=2')
    const second = await asked<AdminRequests>(served, `requests?after=${first.last}`)
    expect([first.data.length, first.has_more, second.data.length, second.has_more]).toEqual([2, true, 3, false])
    const none = await asked<AdminRequests>(served, `requests?after=${second.last}`)
    expect([none.data, none.last]).toEqual([[], second.last])
  })

  test('keeps the last thousand, and none of health checks and of its own', async () => {
    const served = operated([])
    await served.send('/healthz')
    await asked(served, 'now')
    for (let nth = 0; nth < 1003; nth++) await served.ask('GET', '/responses/resp_0')
    const { data, has_more } = await asked<AdminRequests>(served, 'requests?limit=1000')
    expect([data.length, has_more, new Set(data.map(({ route }) => route))]).toEqual([
      1000,
      false,
      new Set(['/v1/responses/:id']),
    ])
  })

  test.each(['after=x', 'after=-1', 'limit=0', 'limit=1001'])('%s is refused', async (query) => {
    const [status, { code }] = await refusal(operated([]), `requests?${query}`, { headers: AS_OPERATOR })
    expect([status, code]).toEqual([400, expect.stringMatching(/^(invalid_type|integer_.*)$/)])
  })
})

describe('GET /admin/series', () => {
  test('tells tokens, first tokens, requests and errors by intervals of ten seconds', async () => {
    const clock = clockAt(1_000_000_005)
    const served = operated(() => [think('Hm.'), answer('Hello.')], { clock })
    const { body } = await served.create({ input: 'Hi' })
    await served.create({ input: 7 })
    clock.at += 20
    await served.create({ input: 'Hi' })
    const { data, interval_seconds } = await asked<AdminSeries>(served, 'series')
    expect([interval_seconds, data.map(({ at }) => at)]).toEqual([10, [1_000_000_000, 1_000_000_010, 1_000_000_020]])
    const [first, between, last] = data as [AdminInterval, AdminInterval, AdminInterval]
    expect(first).toMatchObject({
      requests: 2,
      errors: { invalid_type: 1 },
      running: 1,
      tokens: body.usage.output_tokens,
    })
    expect(first.first_token_p50).toBeGreaterThan(0)
    expect(between).toMatchObject({ requests: 0, errors: {}, running: 0, tokens: 0, first_token_p50: null })
    expect(last.tokens_per_second).toBe(body.usage.output_tokens / 10)
  })

  test('tokens count when they were sampled, also those of a long answer', async () => {
    const clock = clockAt(1_000_000_000)
    const engine = heldEngine(4)
    const served = operated(engine, { clock })
    await served.create({ input: 'Hi', background: true })
    await until(() => engine.sampled === 4)
    await asked(served, 'series')
    clock.at += 10
    await asked(served, 'series')
    engine.step(6)
    await until(() => engine.sampled === 10)
    const tokensOf = async () => (await asked<AdminSeries>(served, 'series')).data.map(({ tokens }) => tokens)
    while ((await tokensOf())[1] !== 6) await new Promise((resolve) => setImmediate(resolve))
    expect(await tokensOf()).toEqual([4, 6])
    await served.drain(AbortSignal.abort())
  })

  test('keeps an hour', async () => {
    const clock = clockAt(1_000_000_000)
    const served = operated([], { clock })
    await asked(served, 'series')
    for (const step of [10, 5000, 3590]) {
      clock.at += step
      await asked(served, 'series')
    }
    const { data } = await asked<AdminSeries>(served, 'series')
    expect([data.length, data.at(-1)?.at]).toEqual([360, 1_000_008_600])
  })
})

describe('GET /admin/parts', () => {
  test('tells which parts answer, and of none its address', async () => {
    const reported: unknown[] = []
    const engine = { ...scriptedEngine([]), health: async () => Promise.reject(new Error('http://10.0.0.1 is away')) }
    const check = async () => Promise.reject(new Error('/usr/bin/secret failed'))
    const parts = [
      { type: 'mcp', name: 'docs', check: async () => {} },
      { type: 'mcp', name: 'away', check },
    ] as const
    const served = operated(engine, { parts, models: ['gpt-oss', 'alias'], onError: (error) => reported.push(error) })
    const { data } = await asked<AdminParts>(served, 'parts')
    expect(data.map(({ type, name, health }) => [type, name, health])).toEqual([
      ['engine', 'gpt-oss', 'failing'],
      ['mcp', 'docs', 'ok'],
      ['mcp', 'away', 'failing'],
      ['store', 'memory', 'ok'],
    ])
    expect(JSON.stringify(data)).not.toMatch(/10\.0|secret/)
    expect(reported).toHaveLength(2)
  })

  test('a store that fails is one part of it', async () => {
    const store = { ...createMemoryStore(), find: async () => Promise.reject(new Error('away')) }
    const { data } = await asked<AdminParts>(operated([], { store, onError: () => {} }), 'parts')
    expect(data.at(-1)).toMatchObject({ type: 'store', health: 'failing', why: 'The store does not answer.' })
  })
})

describe('POST /admin/responses/ID/cancel', () => {
  test('ends a response of any owner, in the background or not', async () => {
    const engine = heldEngine(1)
    const served = operated(engine)
    const answering = served.create({ input: 'Hi' }, { authorization: 'Bearer ann' })
    await until(() => engine.sampled === 1)
    const [running] = (await asked<AdminNow>(served, 'now')).running
    const cancelled = await asked(served, `responses/${running?.id}/cancel`, POST)
    expect(cancelled).toEqual({ object: 'response', id: running?.id, status: 'cancelled' })
    expect((await answering).body.error.message).toBe('The response was cancelled.')
  })

  test('a finished response stays as it is, and an unknown one is not found', async () => {
    const served = operated([answer('Hi')])
    const { body } = await served.create({ input: 'Hi' })
    const cancelled = await asked<{ status: string }>(served, `responses/${body.id}/cancel`, POST)
    expect([cancelled.status, (await served.ask('GET', `/responses/${body.id}`)).body.status]).toEqual([
      'completed',
      'completed',
    ])
    const [status] = await refusal(served, 'responses/resp_none/cancel', { ...POST, headers: AS_OPERATOR })
    expect(status).toBe(404)
  })
})

test('nothing of what clients and models write is in any answer', async () => {
  const secret = 'xyzzy'
  const tool = { type: 'function', name: secret, description: secret, parameters: { type: 'object', [secret]: secret } }
  const served = operated(() => [think(secret), call(`functions.${secret}`, { [secret]: secret })], {
    onError: () => {},
  })
  await served.create({
    input: secret,
    instructions: secret,
    tools: [tool],
    metadata: { [secret]: secret },
    user: secret,
  })
  await served.create({ input: [{ type: secret, [secret]: secret }] })
  await served.create({ [secret]: secret, input: secret })
  await served.create({ model: secret, input: secret, tool_choice: { type: 'function', name: secret } })
  await served.ask('GET', `/responses/${secret}`)
  await served.ask('GET', `/${secret}?${secret}=${secret}`)
  await served.send('/v1/responses', { method: 'POST', body: `{"${secret}`, headers: { 'idempotency-key': secret } })
  const failing = operated([[think(secret), fail(new Error(secret))]], { onError: () => {} })
  await failing.create({ input: secret })
  for (const each of [served, failing]) {
    const [now, requests, series, parts] = await Promise.all(PATHS.map((path) => asked<object>(each, path)))
    expect(JSON.stringify([now, requests, series, parts])).not.toContain(secret)
    expect((requests as { data: AdminRequest[] }).data.length).toBeGreaterThan(0)
  }
})

test.each([
  ['AdminNow', 'now'],
  ['AdminRequests', 'requests'],
  ['AdminSeries', 'series'],
  ['AdminParts', 'parts'],
])('the answer is an %s, with no other fields', async (name, path) => {
  const engine = heldEngine(3)
  const served = operated(engine)
  await served.create({ input: 'Hi', background: true })
  await until(() => engine.sampled === 3)
  await served.create({ input: 7 })
  const answered = await asked<object>(served, path)
  expect(typeOracle(TYPES, name)(answered)).toBe(true)
  for (const field of Object.keys(answered)) {
    const { [field]: _, ...without } = answered as Record<string, unknown>
    expect([field, typeOracle(TYPES, name)(without)]).toEqual([field, false])
  }

  expect(new Set(Object.keys(answered))).toEqual(propertiesOf(declaredType(TYPES, name)))
  await served.drain(AbortSignal.abort())
})

test('a reader misses no request of a process that answered before another one', async () => {
  const clock = clockAt(1_000_000_000)
  const [first, second] = [operated([], { clock }), operated([], { clock })]
  let meanwhile = async (): Promise<void> => {}
  const both = operated([], {
    adminProcesses: () => ({
      async snapshots() {
        const early = first.admin?.snapshot()
        await meanwhile()
        return JSON.parse(JSON.stringify([early, second.admin?.snapshot()])) as never
      },
      parts: async () => [],
      cancel: async () => undefined,
    }),
  })
  meanwhile = async () => {
    for (const served of [first, second]) {
      clock.at += 0.002
      await served.ask('GET', '/responses/resp_0')
    }
    meanwhile = async () => {}
  }
  const before = await asked<AdminRequests>(both, 'requests')
  const { data } = await asked<AdminRequests>(both, `requests?after=${before.last}`)
  expect([...before.data, ...data]).toHaveLength(2)
})

test('several processes are shown as one', async () => {
  const engines = [heldEngine(1), heldEngine(1)]
  const [first, second] = engines.map((engine) => operated(engine)) as unknown as [Endpoint, Endpoint]
  const both = operated([], {
    adminProcesses: () => ({
      snapshots: async () => JSON.parse(JSON.stringify([first.admin?.snapshot(), second.admin?.snapshot()])) as never,
      parts: async () => Promise.all([first, second].map(async ({ admin }) => (await admin?.parts()) ?? [])),
      cancel: async (id) => (await first.admin?.cancel(id)) ?? (await second.admin?.cancel(id)),
    }),
  })
  for (const served of [first, second]) await served.create({ input: 'Hi', background: true })
  await until(() => engines.every(({ sampled }) => sampled === 1))
  const { running } = await asked<AdminNow>(both, 'now')
  expect(running).toHaveLength(2)
  for (const { id } of running) await asked(both, `responses/${id}/cancel`, POST)
  const { data } = await asked<AdminRequests>(both, 'requests')
  expect(data.map(({ number }) => number)).toEqual(data.map(({ number }) => number).toSorted((a, b) => a - b))
  expect(data.filter(({ response_status }) => response_status === 'cancelled')).toHaveLength(2)
  expect((await asked<AdminSeries>(both, 'series')).data.at(-1)).toMatchObject({ requests: 2, running: 2 })
  expect((await asked<AdminParts>(both, 'parts')).data.map(({ type }) => type)).toEqual(['engine', 'store'])
})
