import { describe, expect, test } from 'vitest'
import type { Metric } from '../../../src/endpoint/server/index.js'
import { createMemoryStore } from '../../../src/endpoint/stores/index.js'
import { answer } from '../../../src/testing/index.js'
import { type Endpoint, endpoint, type HeldEngine, heldEngine, until } from './endpoint.js'

const ONE = { limits: { concurrency: 1 } }
const background = { input: 'Hi', background: true }

/** An endpoint whose only place is taken by a response in the background, and what gives the place up. */
async function busy(options: Parameters<typeof endpoint>[1] = {}) {
  const metrics: Metric[] = []
  const served = endpoint(heldEngine(6), { ...ONE, onMetric: (metric) => void metrics.push(metric), ...options })
  const { body } = await served.create(background)
  expect(body.status).toBe('in_progress')
  const cancel = (id: string) => served.ask('POST', `/responses/${id}/cancel`)
  return { ...served, metrics, cancel, free: () => cancel(body.id) }
}

const statusOf = async ({ ask }: Pick<Endpoint, 'ask'>, id: string): Promise<string> =>
  (await ask('GET', `/responses/${id}`)).body.status

const typesOf = (events: readonly { readonly type: string }[]): string[] => events.map(({ type }) => type)

describe('a response in the background that waits for its turn', () => {
  test('a response in the background is answered as queued while there is no place, and runs when there is one', async () => {
    const served = await busy()
    const { status, body } = await served.create(background)
    expect([status, body.status, body.output, body.background]).toEqual([200, 'queued', [], true])
    expect(await statusOf(served, body.id)).toBe('queued')
    expect(served.service.load).toEqual({ running: 1, waiting: 1 })
    await served.free()
    await until(() => served.service.load.waiting === 0)
    while ((await statusOf(served, body.id)) === 'queued');
    expect(await statusOf(served, body.id)).toBe('in_progress')
    await served.cancel(body.id)
  })

  test('its stream begins with response.queued, and goes on with response.in_progress when it has its turn', async () => {
    const served = await busy()
    const events = served.stream('/responses', background)
    await until(() => served.service.load.waiting === 1)
    const { body } = await served.create(background)
    const again = served.stream(`/responses/${body.id}?stream=true`)
    await served.free()
    served.engine.step(5)
    const isStreamed = (type: string): boolean => served.metrics.filter((metric) => metric.type === type).length > 1
    await until(() => isStreamed('response_started'))
    const [second] = served.metrics.filter(({ type }) => type === 'response_started').slice(1) as Started[]
    await served.cancel(second?.responseId ?? '')
    await until(() => served.service.load.waiting === 0)
    await served.cancel(body.id)
    for (const all of [await events, await again]) {
      expect(typesOf(all).slice(0, 3)).toEqual(['response.created', 'response.queued', 'response.in_progress'])
      expect(all.slice(0, 3).map(({ response }) => response.status)).toEqual(['queued', 'queued', 'in_progress'])
      expect(typesOf(all).filter((type) => type === 'response.in_progress')).toHaveLength(1)
    }
  })

  test('one that has a place at once is never queued', async () => {
    const { stream } = endpoint(() => answer('Hi'), ONE)
    const events = await stream('/responses', background)
    expect(typesOf(events).slice(0, 2)).toEqual(['response.created', 'response.in_progress'])
  })

  test('an invalid request is refused at once, although others wait', async () => {
    const served = await busy()
    const { status } = await served.create({ ...background, previous_response_id: 'resp_none' })
    expect([status, served.service.load.waiting]).toEqual([400, 0])
    await served.free()
  })

  test('one that is cancelled while it waits leaves the queue, and the model is never asked', async () => {
    const served = await busy()
    const { body } = await served.create(background)
    const sampled = served.engine.sampled
    expect((await served.cancel(body.id)).body).toMatchObject({ status: 'cancelled', output: [] })
    expect(served.service.load).toEqual({ running: 1, waiting: 0 })
    await served.free()
    await until(() => served.service.load.running === 0)
    expect(served.engine.sampled).toBe(sampled)
    const events = await served.stream(`/responses/${body.id}?stream=true`)
    expect(typesOf(events).slice(0, 3)).toEqual(['response.created', 'response.queued', 'response.in_progress'])
    expect(events).toHaveLength(4)
  })

  test('one that is deleted while it waits leaves the queue', async () => {
    const served = await busy()
    const { body } = await served.create(background)
    expect((await served.ask('DELETE', `/responses/${body.id}`)).body.deleted).toBe(true)
    expect(served.service.load.waiting).toBe(0)
    expect((await served.ask('GET', `/responses/${body.id}`)).status).toBe(404)
    await served.free()
  })

  test('a full queue is answered with 429, and nothing of the request is kept', async () => {
    const served = await busy({ limits: { concurrency: 1, queue: 1 } })
    const { body } = await served.create(background)
    const { status, body: refusal } = await served.create(background)
    expect([status, refusal.error.code]).toEqual([429, 'rate_limit_exceeded'])
    await served.cancel(body.id)
    await served.free()
  })

  test('one that waits is reported as started when it has its turn, with the time that it waited', async () => {
    let now = 0
    const served = await busy({ now: () => now })
    const { body } = await served.create(background)
    now = 5000
    const started = () => served.metrics.filter(({ type }) => type === 'response_started') as Started[]
    expect(started()).toHaveLength(1)
    await served.free()
    await until(() => started().length === 2)
    expect(started()[1]).toMatchObject({ responseId: body.id, seconds: 5 })
    await served.cancel(body.id)
    await until(() => served.metrics.filter(({ type }) => type === 'response_ended').length === 2)
  })

  test('a server that stops finishes one that waits, if no other process can', async () => {
    const store = { ...createMemoryStore(), durability: 'none' as const }
    let calls = 0
    const held = heldEngine(6)
    const engine = {
      ...held,
      generate: (...given: Parameters<HeldEngine['generate']>) => {
        calls += 1
        return held.generate(...given)
      },
    }
    const { create, drain, service } = endpoint(engine as HeldEngine, { ...ONE, store })
    await create(background)
    await create(background)
    const stopping = new AbortController()
    const drained = drain(stopping.signal)
    await until(() => service.load.waiting === 1)
    expect((await create(background)).status).toBe(503)
    stopping.abort()
    await drained
    expect([service.load, calls]).toEqual([{ running: 0, waiting: 0 }, 1])
  })

  test('the openai SDK polls one from queued to its end', async () => {
    const engine = heldEngine(6)
    const { client, ask, create } = endpoint(engine, ONE)
    const { body } = await create(background)
    const { responses } = client()
    const queued = await responses.create({ model: 'gpt-oss', ...background })
    expect(queued.status).toBe('queued')
    await ask('POST', `/responses/${body.id}/cancel`)
    const types: string[] = []
    const stream = await responses.retrieve(queued.id, { stream: true })
    for await (const event of stream) {
      types.push(event.type)
      if (event.type === 'response.in_progress') await responses.cancel(queued.id)
    }
    expect(types.slice(0, 3)).toEqual(['response.created', 'response.queued', 'response.in_progress'])
    expect((await responses.retrieve(queued.id)).status).toBe('cancelled')
  })
})

type Started = Extract<Metric, { type: 'response_started' }>
