import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createDeadlines } from '../../../src/endpoint/server/service/limits/deadlines.js'
import { createMemoryStore, type ResponseStore } from '../../../src/endpoint/stores/index.js'
import { type TokenEngine, tokenStream } from '../../../src/engines/contract/index.js'
import type { TokenChunk } from '../../../src/index.js'
import { answer, firstTokens, hang } from '../../../src/testing/index.js'
import { rejectionsOf } from '../../support/rejections.js'
import { encodeHarmony } from '../../support/tokens.js'
import { endpoint, heldEngine, JSON_TYPE, until } from './endpoint.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

const FAILED = { status: 500, body: { error: { code: 'server_error', message: 'The server had an internal error.' } } }
const STORE_FAILED = { status: 503, body: { error: { code: 'server_is_overloaded' } } }

/** Runs all pending promises, and then lets some seconds pass. */
async function pass(seconds: number): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  await vi.advanceTimersByTimeAsync(seconds * 1000 + 500)
}

/** An engine that ignores signals, and returns these steps one after the other. */
function deafEngine(
  steps: readonly TokenChunk[],
): TokenEngine & { readonly closed: () => number; readonly resume: () => void } {
  let closed = 0
  let wake = (): void => {}
  return {
    closed: () => closed,
    resume: () => wake(),
    generate() {
      let at = 0
      const stream = {
        async next() {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
          const step = steps[at++]
          return step === undefined ? { done: true, value: { reason: 'stop' } } : { done: false, value: step }
        },
        async return() {
          closed += 1
          return new Promise(() => {})
        },
        [Symbol.asyncIterator]: () => stream,
      }
      return stream as never
    },
    health: async () => {},
  }
}

describe('an engine that is silent', () => {
  test.each([
    ['fails', async () => await Promise.reject(new Error('broken'))],
    ['is silent', () => new Promise(() => {})],
  ])('an engine that %s, and throws when it is closed, ends the response', async (_, next) => {
    const stream = {
      next,
      return() {
        throw new Error('cannot be closed')
      },
      [Symbol.asyncIterator]: () => stream,
    }
    const engine = { generate: () => stream as never, health: async () => {} }
    const { create, service } = endpoint(engine, { limits: { firstTokenSeconds: 30 } })
    const rejections = await rejectionsOf(async () => {
      const answered = create({ input: 'Hi' })
      await pass(31)
      expect(await answered).toMatchObject(FAILED)
    })
    expect([rejections, service.load.running]).toEqual([[], 0])
  })

  test('an engine that gives no first token in time ends the response, is closed, and its place is free', async () => {
    const engine = deafEngine([])
    const { create, errors, service } = endpoint(engine, { limits: { firstTokenSeconds: 30, tokenSeconds: 1 } })
    const answered = create({ input: 'Hi' })
    await pass(29)
    expect(service.load.running).toBe(1)
    await pass(1)
    expect(await answered).toMatchObject(FAILED)
    expect([engine.closed() > 0, service.load.running]).toEqual([true, 0])
    expect(String(errors[0])).toContain('the engine gave no token for 30 seconds')
  })

  test('an engine that stops between two tokens ends the stream by response.failed, with its output so far', async () => {
    const { stream, errors } = endpoint(() => [firstTokens(6, answer('one two three four')), hang()], {
      limits: { tokenSeconds: 5 },
    })
    const streamed = stream('/responses', { input: 'Hi' })
    await pass(5)
    const last = (await streamed).at(-1)
    expect([last?.type, last?.response.error.code]).toEqual(['response.failed', 'server_error'])
    expect(last?.response.output[0].content[0].text).toMatch(/^one/)
    expect(String(errors[0])).toContain('the engine gave no token for 5 seconds')
  })

  test('a step without tokens says that the engine is working, before the first token and after it', async () => {
    const [first = 0, ...others] = encodeHarmony('<|channel|>final<|message|>Hi<|return|>')
    const engine = deafEngine([[], [], [first], [], [], others])
    const { create, errors } = endpoint(engine, { limits: { firstTokenSeconds: 10, tokenSeconds: 5 } })
    const answered = create({ input: 'Hi' })
    for (const seconds of [9, 9, 9, 4, 4, 4, 4]) {
      await pass(seconds - 1)
      engine.resume()
    }
    expect([(await answered).body.status, errors]).toEqual(['completed', []])
  })

  test('a client that reads nothing for long is no silence of the engine', async () => {
    const engine = heldEngine(1000)
    const { send, service, errors } = endpoint(engine, { limits: { tokenSeconds: 1 } })
    const init = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ input: 'Hi', stream: true }) }
    const { body } = await send('/v1/responses', init)
    await pass(100)
    expect([service.load.running, errors]).toEqual([1, []])
    await body?.cancel()
    await until(() => service.load.running === 0)
  })

  test('an engine that does not report its abilities in time ends the request that depends on it', async () => {
    const engine = { ...deafEngine([]), capabilities: () => new Promise<never>(() => {}) }
    const { create, errors } = endpoint(engine, { limits: { tokenSeconds: 2 } })
    const format = { type: 'json_schema', name: 'a', schema: { type: 'object' } }
    const answered = create({ input: 'Hi', text: { format } })
    await pass(2)
    expect(await answered).toMatchObject(FAILED)
    expect(String(errors[0])).toContain('did not report its capabilities for 2 seconds')
  })

  test('a cold server has a minute to report its abilities, and minutes for the first token of a constrained call', async () => {
    const late = async <Value>(seconds: number, value: Value): Promise<Value> =>
      new Promise((resolve) => {
        const clock = setInterval(() => {
          clearInterval(clock)
          resolve(value)
        }, seconds * 1000)
      })
    const [first = 0, ...rest] = encodeHarmony('<|channel|>final<|message|>{}<|return|>')
    const engine: TokenEngine = {
      generate: () =>
        tokenStream(async function* () {
          yield await late(300, first)
          yield rest
          return { reason: 'stop' as const }
        }),
      health: async () => {},
      capabilities: () => late(50, {}),
    }
    const { create, errors } = endpoint(engine)
    const format = { type: 'json_schema', name: 'a', schema: { type: 'object' } }
    const answered = create({ input: 'Hi', text: { format } })
    await pass(51)
    await pass(301)
    expect([(await answered).body.status, errors]).toEqual(['completed', []])
  })

  test('background responses of a hung engine leave places for others', async () => {
    const deaf = deafEngine([])
    const { create, service } = endpoint(deaf, {
      engine: (model) => (model === 'hung' ? deaf : heldEngine(0)),
      limits: { concurrency: 8, queue: 8 },
    })
    for (let count = 0; count < 6; count++) create({ model: 'hung', input: 'Hi', background: true })
    await pass(0)
    for (let count = 0; count < 6; count++) create({ model: 'hung', input: 'Hi', background: true })
    await pass(0)
    expect(service.load).toEqual({ running: 6, waiting: 6 })
    expect((await create({ model: 'hung', input: 'Hi', background: true })).status).toBe(429)
    create({ model: 'other', input: 'Hi' })
    await until(() => service.load.running === 7)
  })
})

describe('a store that does not answer', () => {
  /** A store in memory whose calls of one method hang until it is mended, or throw. */
  function faultyStore(): ResponseStore & { faulty: string | undefined; fault: 'hangs' | 'throws'; hits: number } {
    const real = createMemoryStore()
    const store = { ...real, faulty: undefined, fault: 'hangs', hits: 0 } as ReturnType<typeof faultyStore>
    for (const name of Object.keys(real).filter(
      (each) => !['memory', 'durability', 'conversations'].includes(each),
    ) as (keyof ResponseStore)[]) {
      Object.assign(store, {
        [name]: async (...given: never[]) => {
          if (store.faulty !== name) return (real[name] as (...all: never[]) => Promise<unknown>)(...given)
          store.hits += 1
          if (store.fault === 'throws') throw new Error('redis is gone')
          return new Promise(() => {})
        },
      })
    }
    return store
  }

  test.each(
    (['hangs', 'throws'] as const).flatMap((fault) =>
      (['open', 'lineage', 'findItem', 'findKey', 'entries', 'delete'] as const).map((name) => ({ fault, name })),
    ),
  )('a store whose $name $fault is a 503 with Retry-After, and recovers without a restart', async ({ fault, name }) => {
    const store = faultyStore()
    const { ask, create, errors, service } = endpoint(() => answer('Hi'), { store, limits: { storeSeconds: 3 } })
    const known = (await create({ input: 'Hi' })).body.id
    const use = {
      open: () => create({ input: 'Hi' }),
      lineage: () => create({ input: 'And?', previous_response_id: known }),
      findItem: () => create({ input: [{ type: 'item_reference', id: 'msg_1' }] }),
      findKey: () => create({ input: 'Hi' }, { 'idempotency-key': 'k' }),
      entries: () => ask('GET', `/responses/${known}?stream=true`),
      delete: () => ask('DELETE', `/responses/${known}`),
    }[name]
    store.fault = fault
    store.faulty = name
    const answered = use()
    await until(() => store.hits > 0)
    await pass(3)
    const refused = await answered
    expect(refused).toMatchObject(STORE_FAILED)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(errors.map((error) => (error as Error).message)).toEqual([
      fault === 'throws' ? 'redis is gone' : `the store did not answer '${name}' within 3 seconds`,
    ])
    expect(service.load.running).toBe(0)
    store.faulty = undefined
    if (name !== 'entries') expect([200, 404]).toContain((await use()).status)
  })

  test('a store that hangs in mid-response and answers again ends the stream by one terminal event', async () => {
    const store = faultyStore()
    let count = 0
    const { stream, ask } = endpoint(() => answer('one two three'), {
      store,
      limits: { storeSeconds: 3 },
      onEntry: () => {
        count += 1
        if (count === 4) store.faulty = 'append'
      },
    })
    const streamed = stream('/responses', { input: 'Hi' })
    await until(() => store.hits > 0)
    store.faulty = undefined
    await pass(3)
    const last = (await streamed).at(-1)
    expect(last?.type).toBe('response.failed')
    expect((await ask('GET', `/responses/${last?.response.id}`)).body).toEqual(last?.response)
  })
})

test('one timer serves all that wait, and none runs where nothing waits', async () => {
  const deadlines = createDeadlines()
  const waits = [1, 2, 3].map((seconds) => deadlines.within(seconds, new Promise<never>(() => {}), () => seconds))
  expect(vi.getTimerCount()).toBe(1)
  const rejected = waits.map((wait) => wait.catch((seconds: unknown) => seconds))
  await vi.advanceTimersByTimeAsync(4_000)
  expect(await Promise.all(rejected)).toEqual([1, 2, 3])
  expect(await deadlines.within(1, Promise.resolve('in time'), () => 'late')).toBe('in time')
  await vi.advanceTimersByTimeAsync(500)
  expect(vi.getTimerCount()).toBe(0)
})
