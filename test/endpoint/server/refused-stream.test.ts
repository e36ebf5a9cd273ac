import OpenAI from 'openai'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Tool } from '../../../src/endpoint/tools/tool.js'
import { EngineError, type TokenEngine, tokenStream } from '../../../src/engines/contract/index.js'
import { createVllmEngine } from '../../../src/engines/sources/vllm.js'
import { answer, call, fail } from '../../../src/testing/index.js'
import { endpoint, heldEngine, JSON_TYPE, readUntil, until } from './endpoint.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

/** The three APIs, with a body of each. */
const APIS = [
  ['/responses', { model: 'gpt-oss', input: 'Hi' }],
  ['/chat/completions', { model: 'gpt-oss', messages: [{ role: 'user', content: 'Hi' }] }],
  ['/messages', { model: 'gpt-oss', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 99 }],
] as const

/** Lets pending work run, and then some seconds pass. */
async function pass(seconds: number): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  await vi.advanceTimersByTimeAsync(seconds * 1000)
}

const busy = (retryAfterMs?: number): EngineError =>
  new EngineError('rate_limit_exceeded', 'Slow down.', { retryAfterMs })

/** An engine that fails a while after its call began. */
function failsLater(error: Error): TokenEngine & { fail(): void } {
  let fails = (): void => {}
  const failing = new Promise<void>((resolve) => {
    fails = resolve
  })
  return {
    fail: () => fails(),
    generate: () =>
      // biome-ignore lint/correctness/useYield: it fails before its first token
      tokenStream(async function* () {
        await failing
        throw error
      }),
    health: async () => {},
  }
}

describe.each(APIS)('a stream of %s whose engine refuses the call', (path, body) => {
  const cases = [
    [busy(), 429],
    [new EngineError('server_error', 'down', { isUnavailable: true }), 503],
    [new EngineError('context_length_exceeded', 'Too long.'), 400],
    [new Error('broken'), 500],
  ] as const

  test.each(cases)(`%s is the status and the body that ${path} gives without streaming`, async (error, status) => {
    const { ask } = endpoint(() => [fail(error)])
    const [streamed, whole] = await Promise.all([ask('POST', path, { ...body, stream: true }), ask('POST', path, body)])
    // The Messages API has a status of its own for overload.
    expect(streamed.status).toBe(status === 503 && path === '/messages' ? 529 : status)
    expect([streamed.status, streamed.body.error]).toEqual([whole.status, whole.body.error])
    expect(streamed.headers.get('retry-after')).toBe(whole.headers.get('retry-after'))
  })

  test.each([
    [7_000, '7', null],
    [7_001, '8', null],
    [60_000, '60', null],
    [86_400_000, '86400', 'false'],
  ])(`a wait of %i ms that the engine asks for is passed on by ${path}`, async (ms, seconds, retry) => {
    for (const stream of [true, false]) {
      const { ask } = endpoint(() => [fail(busy(ms))])
      const { status, headers } = await ask('POST', path, { ...body, stream })
      const told = [status, headers.get('retry-after'), headers.get('x-should-retry')]
      expect(told).toEqual([429, seconds, retry])
    }
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY, -5, 1e300, '7\r\nx: y'])(
    `a wait that no header can carry is one second for ${path}: %s`,
    async (ms) => {
      for (const stream of [true, false]) {
        const { ask } = endpoint(() => [fail(busy(ms as number))])
        const { status, headers } = await ask('POST', path, { ...body, stream })
        expect([status, headers.get('retry-after'), headers.get('x-should-retry')]).toEqual([429, '1', null])
      }
    },
  )

  test(`a refusal within the time is the status of ${path}, and a later one is an event`, async () => {
    for (const [wait, status] of [
      [0.5, 429],
      [2, 200],
    ] as const) {
      const engine = failsLater(busy())
      const { send } = endpoint(engine, { limits: { statusSeconds: 1 } })
      const init = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ ...body, stream: true }) }
      const answered = send(`/v1${path}`, init)
      await pass(wait)
      engine.fail()
      const response = await answered
      expect(response.status).toBe(status)
      expect(await response.text()).toContain('Slow down.')
    }
  })
})

describe('the status of a stream', () => {
  const streamed = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ input: 'Hi', stream: true }) }

  test('it is sent as soon as the engine gives its first token', async () => {
    const engine = heldEngine(1)
    const { send } = endpoint(engine)
    const response = await send('/v1/responses', streamed)
    expect(response.status).toBe(200)
    await response.body?.cancel()
    await engine.stopped
  })

  test('it is sent as soon as the engine shows that it has the call', async () => {
    const { send } = endpoint({
      generate: () =>
        tokenStream(async function* (signal) {
          yield []
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
          return undefined
        }),
      health: async () => {},
    })
    const response = await send('/v1/responses', streamed)
    expect(response.status).toBe(200)
    await response.body?.cancel()
  })

  test('it waits a second for an engine that is silent, and the events are whole', async () => {
    const engine = heldEngine()
    const { send } = endpoint(engine)
    let response: Response | undefined
    const answered = send('/v1/responses', streamed).then((given) => {
      response = given
    })
    await pass(0.9)
    expect(response).toBeUndefined()
    await pass(0.6)
    await answered
    const reader = (response as unknown as Response).body?.getReader() as ReadableStreamDefaultReader<Uint8Array>
    const text = await readUntil(reader, 'response.in_progress')
    expect(text).toContain('event: response.created')
    await reader.cancel()
    await engine.stopped
  })

  test('it is sent at once where statusSeconds is 0, and a refusal is then an event', async () => {
    const { stream } = endpoint(() => [fail(busy(7_000))], { limits: { statusSeconds: 0 } })
    const events = await stream('/responses', { input: 'Hi' })
    expect(events.map(({ type }) => type)).toEqual([
      ...['response.created', 'response.in_progress', 'error', 'response.failed'],
    ])
  })

  test('a client that leaves before the status closes the call', async () => {
    const engine = heldEngine()
    const { send, service } = endpoint(engine)
    const client = new AbortController()
    const answered = send('/v1/responses', { ...streamed, signal: client.signal })
    await engine.asked
    client.abort()
    await engine.stopped
    await until(() => service.load.running === 0)
    expect((await answered.catch(() => undefined))?.status ?? 200).toBe(200)
  })

  test('a call that the host ran before the engine failed is shown, so that no retry runs it again', async () => {
    let ran = 0
    const searching: Tool = {
      answers: ({ type }) => type === 'web_search_call',
      async run() {
        ran += 1
        return { output: 'found' }
      },
    }
    const script = [call('browser.search', { query: 'x' }), [fail(busy())]]
    const { stream } = endpoint(script, { tools: [searching] })
    const events = await stream('/responses', { input: 'Hi', tools: [{ type: 'web_search' }] })
    expect([events.at(-1)?.type, ran]).toEqual(['response.failed', 1])
  })

  test('the refused response is kept as it failed', async () => {
    const { create, client } = endpoint(() => [fail(busy())])
    await create({ input: 'Hi', stream: true })
    const error = await client()
      .responses.create({ model: 'gpt-oss', input: 'Hi', stream: true })
      .catch((caught: unknown) => caught)
    expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
  })

  test('a background response is not held: its events say that it exists', async () => {
    const { stream } = endpoint(() => [fail(busy())])
    const events = await stream('/responses', { input: 'Hi', background: true })
    expect(events.at(-1)?.type).toBe('response.failed')
  })
})

describe('attempts of an engine behind HTTP', () => {
  /** A vLLM that refuses every call so, and the times that it was called. */
  function refusing(headers: Record<string, string>): { engine: TokenEngine; calls: () => number } {
    let calls = 0
    const fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
      if (init?.method !== 'POST' || String(url).includes('tokenize')) {
        return Response.json({ data: [{ id: 'gpt-oss', max_model_len: 131_072 }] })
      }
      calls += 1
      return Response.json({ error: { message: 'Slow down.' } }, { status: 429, headers })
    }
    const engine = createVllmEngine({
      ...{ url: 'http://vllm.invalid', checkModel: false, fetch: fetch as never, contextSize: 131_072 },
      delay: async () => {},
    })
    return { engine, calls: () => calls }
  }

  test.each([true, false])('a wait beyond the time is left to the client (stream: %s)', async (stream) => {
    const { engine, calls } = refusing({ 'retry-after': '7' })
    const { create } = endpoint(engine)
    const { status, headers } = await create({ input: 'Hi', stream })
    expect([status, headers.get('retry-after'), calls()]).toEqual([429, '7', 1])
  })

  test('a background response waits for itself', async () => {
    const { engine, calls } = refusing({ 'retry-after': '7' })
    const { create, client } = endpoint(engine)
    const { body } = await create({ input: 'Hi', background: true })
    const { responses } = client()
    while ((await responses.retrieve(body.id)).status === 'in_progress') await pass(0)
    expect(calls()).toBe(3)
  })
})

describe("the SDK's own retries", () => {
  /** The SDK, the times that it asked, and the refusals before the answer. */
  function retrying(refusals: readonly EngineError[]): { client: OpenAI; asked: () => number } {
    const script = [...refusals.map((error) => [fail(error)]), answer('Hi there.')]
    let asked = 0
    const { send } = endpoint(() => script[asked - 1] ?? [])
    const client = new OpenAI({
      ...{ baseURL: 'http://localhost/v1', apiKey: 'ann', maxRetries: 2 },
      fetch: async (url, init) => {
        asked += 1
        return await send(new URL(url as string).pathname, init)
      },
    })
    return { client, asked: () => asked }
  }

  test('a stream that was refused once is answered at the second attempt', async () => {
    const { client, asked } = retrying([busy()])
    const stream = client.responses.stream({ model: 'gpt-oss', input: 'Hi' })
    expect([(await stream.finalResponse()).output_text, asked()]).toEqual(['Hi there.', 2])
  })

  test('a client that would wait for a day is told not to', async () => {
    const { client, asked } = retrying([busy(86_400_000)])
    const stream = client.responses.create({ model: 'gpt-oss', input: 'Hi', stream: true })
    await expect(stream).rejects.toMatchObject({ status: 429 })
    expect(asked()).toBe(1)
  })
})
