import { afterEach, describe, expect, test } from 'vitest'
import type { ResponseStreamEvent } from '../../../src/core/responses/events.js'
import { BEHAVIOR_VERSION, type Entry } from '../../../src/endpoint/journal/entry.js'
import { createSeal } from '../../../src/endpoint/seal/index.js'
import type { Metric, ResponsesAppOptions } from '../../../src/endpoint/server/index.js'
import { OTHER_VERSION_SECONDS } from '../../../src/endpoint/server/service/take-over/other-versions.js'
import { createMemoryStore, type ResponseStore } from '../../../src/endpoint/stores/index.js'
import { answer, think } from '../../../src/testing/index.js'
import { block, open } from '../stores/kept.js'
import { type Endpoint, endpoint, eventsIn, type HeldEngine, heldEngine, JSON_TYPE, until } from './endpoint.js'

const seal = createSeal([{ id: 'a', key: new Uint8Array(32).fill(1) }])
const ID = 'resp_0123456789abcdef'
const WORDS = 'one two three four five six seven eight'

/** Two processes on one store, with the test's clock. */
function world() {
  let now = 1000
  const shared: ResponseStore = { ...createMemoryStore({ clock: () => now }), durability: 'process' }
  const running: { readonly served: Endpoint; isDead: boolean }[] = []

  /** @param engine - undefined: one that says eight words */
  function process<Engine extends HeldEngine | undefined>(engine: Engine, options: Partial<ResponsesAppOptions> = {}) {
    const state = { isDead: false, isReadOnly: false }
    const metrics: Metric[] = []
    let looked = 0
    // A dead process sends no more requests.
    const store = Object.fromEntries(
      Object.entries(shared).map(([name, value]) => {
        if (typeof value !== 'function') return [name, value]
        return [
          name,
          async (...given: never[]) => {
            if (state.isDead) await new Promise(() => {})
            if (state.isReadOnly && ['open', 'append', 'claim'].includes(name))
              throw new Error('nothing can be written')
            const result = await (value as (...all: never[]) => unknown)(...given)
            if (name === 'expired') looked += 1
            return result
          },
        ]
      }),
    ) as unknown as ResponseStore
    const served = endpoint((engine ?? (() => [think('Hm.'), answer(WORDS)])) as HeldEngine, {
      ...{ store, seal, limits: { leaseSeconds: 10 }, onMetric: (metric: Metric) => void metrics.push(metric) },
      ...options,
    })
    const one = Object.assign(served, {
      metrics,
      die: () => void Object.assign(state, { isDead: true }),
      /** It can write nothing any more. */
      freeze: () => void Object.assign(state, { isReadOnly: true }),
      thaw: () => void Object.assign(state, { isReadOnly: false }),
      /** Waits until it has checked for expired leases that many more times. */
      async looked(times: number): Promise<void> {
        const after = looked + times
        while (looked < after) await new Promise((resolve) => setTimeout(resolve, 20))
      },
    })
    running.push({
      served: one,
      get isDead() {
        return state.isDead
      },
    } as never)
    return one
  }

  return {
    shared,
    process,
    pass: (seconds: number): void => {
      now += seconds
    },
    end: () =>
      Promise.all(running.filter(({ isDead }) => !isDead).map(({ served }) => served.drain(AbortSignal.abort()))),
  }
}

let worlds: ReturnType<typeof world>[] = []
afterEach(async () => {
  await Promise.all(worlds.splice(0).map((each) => each.end()))
})

function newWorld(): ReturnType<typeof world> {
  const made = world()
  worlds = [...worlds, made]
  return made
}

const statusOf = async ({ ask }: Endpoint, id: string): Promise<string> =>
  (await ask('GET', `/responses/${id}`)).body.status

/** Waits until a response has ended, as one process sees it. */
async function over(served: Endpoint, id: string): Promise<void> {
  while (['in_progress', 'queued'].includes(await statusOf(served, id)))
    await new Promise((resolve) => setTimeout(resolve, 20))
}

/** A background response in the middle of which its process has died. */
async function died(options: Partial<ResponsesAppOptions> = {}, body: object = { background: true }) {
  const { process, pass, shared } = newWorld()
  const engine = heldEngine(6)
  const first = process(engine, options)
  const { send } = first
  let id = ''
  const created = send('/v1/responses', {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ input: 'Hi', ...body }),
  })
  // Each stream is read, because a response without a reader does not progress.
  created.then((response) => response.text()).catch(() => {})
  await until(() => engine.sampled === 6)
  const [metric] = first.metrics.filter(({ type }) => type === 'response_started') as { responseId: string }[]
  id = metric?.responseId ?? ''
  const before = await begun(first, id)
  first.die()
  return { process, pass, shared, id, before, first }
}

/** Its events up to the first text, as another reader of the same process has them. */
async function begun({ service }: Endpoint, id: string): Promise<readonly ResponseStreamEvent[]> {
  const events: ResponseStreamEvent[] = []
  for await (const batch of await service.stream(id, 'anonymous')) {
    events.push(...batch)
    if (batch.some(({ type }) => type === 'response.output_text.delta')) break
  }
  return events
}

describe('a response whose process has died', () => {
  test('another process continues it once its lease has expired, and its events continue where they were', async () => {
    const { process, pass, id, before } = await died()
    const next = process(undefined)
    expect(await statusOf(next, id)).toBe('in_progress')
    const last = before.at(-1)?.sequence_number
    const rest = next.stream(`/responses/${id}?stream=true&starting_after=${last}`)
    pass(11)
    const all = [...before, ...(await rest)]
    expect(all.map(({ sequence_number }) => sequence_number)).toEqual(all.map((_, at) => at))
    expect(all.at(-1)?.type).toMatch(/^response\.(completed|incomplete)$/)
    expect(await next.stream(`/responses/${id}?stream=true`)).toEqual(all)
    expect(next.metrics).toContainEqual({ type: 'response_taken_over', responseId: id, continues: true, reason: null })
  })

  test('another process begins one that has waited for its turn, once it has a place', async () => {
    const { process, pass } = newWorld()
    const first = process(heldEngine(6), { limits: { leaseSeconds: 10, concurrency: 1 } })
    await first.create({ input: 'Hi', background: true })
    const { id, status } = (await first.create({ input: 'Hi', background: true })).body
    first.die()
    const next = process(undefined)
    expect([status, await statusOf(next, id)]).toEqual(['queued', 'queued'])
    pass(11)
    await over(next, id)
    expect(await statusOf(next, id)).toMatch(/^(completed|incomplete)$/)
    const types = (await next.stream(`/responses/${id}?stream=true`)).map(({ type }) => type)
    expect(types.slice(0, 3)).toEqual(['response.created', 'response.queued', 'response.in_progress'])
  })

  test('another process continues it with the tools of its conversation', async () => {
    const declares = (...tools: object[]) => ({ type: 'additional_tools', role: 'developer', tools })
    const [own, later] = ['custom', 'function'].map((type) => ({ type, name: 'exec' })) as [object, object]
    const roll = { type: 'mcp', server_label: 'dice', require_approval: 'never', authorization: 'secret' }
    const user = { role: 'user', content: 'Hi' }
    const input = [declares({ type: 'custom', name: 'first' }), user, declares(later, roll), user]
    const { process, pass, id } = await died({}, { background: true, tools: [own], input })
    const next = process(undefined)
    pass(11)
    await over(next, id)
    const { body } = await next.ask('GET', `/responses/${id}`)
    expect(body.status).toBe('completed')
    expect(body.tools).toMatchObject([{ type: 'custom', name: 'first' }, later, { server_label: 'dice' }])
  })

  test('another process continues it where an item declares its tools again', async () => {
    const tools = [
      { type: 'function', name: 'exec' },
      { type: 'mcp', server_label: 'dice', authorization: 'secret' },
    ]
    const item = { type: 'additional_tools', role: 'developer', tools }
    const { process, pass, id } = await died(
      {},
      { background: true, tools, input: [{ role: 'user', content: 'Hi' }, item] },
    )
    const next = process(undefined)
    pass(11)
    await over(next, id)
    expect(await statusOf(next, id)).toBe('completed')
  })

  test('no other process continues it before its lease has expired', async () => {
    const { process, pass, id } = await died()
    const next = process(undefined)
    pass(9)
    await next.looked(3)
    expect(await statusOf(next, id)).toBe('in_progress')
    expect(next.metrics.filter(({ type }) => type === 'response_taken_over')).toEqual([])
  })

  test.each([
    ['its client is gone', {}, { stream: true }, 'client_gone'],
    ['its model is not served', {}, { background: true, model: 'gpt-oss' }, 'unknown_model'],
  ] as const)('it ends failed, and says so, where %s', async (_what, options, body, reason) => {
    const { process, pass, id } = await died(options, body)
    const next = process(undefined, reason === 'unknown_model' ? { models: ['other'] } : {})
    pass(11)
    await over(next, id)
    const { body: response } = await next.ask('GET', `/responses/${id}`)
    expect(response).toMatchObject({ status: 'failed', error: { code: 'server_error' } })
    expect(response.error.message).toContain('stopped, and no other one could continue')
    expect((await next.stream(`/responses/${id}?stream=true`)).at(-1)?.type).toBe('response.failed')
    expect(next.metrics).toContainEqual({ type: 'response_taken_over', responseId: id, continues: false, reason })
  })

  test('it ends failed, and says why, where the store may have lost what its client was shown', async () => {
    const { process, pass, shared, id } = await died()
    const { claim } = shared
    Object.assign(shared, {
      claim: async (given: Parameters<ResponseStore['claim']>[0]) => {
        const claimed = await claim(given)
        return claimed && { ...claimed, mayLack: true }
      },
    })
    const next = process(undefined)
    pass(11)
    await over(next, id)
    const { body: response } = await next.ask('GET', `/responses/${id}`)
    const message = 'The storage of the server has lost a part of this response.'
    expect(response).toMatchObject({ status: 'failed', error: { code: 'server_error', message } })
    const taken = { type: 'response_taken_over', responseId: id, continues: false, reason: 'entries_lost' }
    expect(next.metrics).toContainEqual(taken)
  })

  test('a foreground response continues for its grace, and stops when its client does not come back', async () => {
    const onDisconnect = { graceMs: 1 }
    const { process, pass, id } = await died({ onDisconnect }, { stream: true })
    const next = process(heldEngine(0), { onDisconnect })
    pass(11)
    await over(next, id)
    expect(await statusOf(next, id)).toBe('cancelled')
  })

  test('a response of another version is not streamed, waits for a process of its own, and fails if none comes for ten minutes', async () => {
    const { process, shared, pass } = newWorld()
    const entry = {
      at: 7,
      type: 'open',
      behaviour: BEHAVIOR_VERSION + 1,
      responseId: ID,
      request: { model: 'gpt-oss' },
    }
    await open(shared, {
      responseId: ID,
      owner: 'anonymous',
      entries: block(entry as unknown as Entry),
      leaseSeconds: 10,
    })
    let seconds = 0
    const next = process(undefined, { clock: () => seconds })
    const { status, body } = await next.ask('GET', `/responses/${ID}?stream=true`)
    expect([status, body.error.code]).toEqual([409, 'stream_not_resumable'])
    expect((await next.ask('GET', `/responses/${ID}`)).body).toMatchObject({ status: 'in_progress', created_at: 7 })
    pass(11)
    await next.looked(2)
    seconds += OTHER_VERSION_SECONDS - 1
    await next.looked(2)
    expect(await statusOf(next, ID)).toBe('in_progress')
    seconds += 1
    await over(next, ID)
    expect((await next.ask('GET', `/responses/${ID}`)).body).toMatchObject({
      status: 'failed',
      model: 'gpt-oss',
      output: [],
    })
  })
})

describe('a process that looks for responses to take over', () => {
  const foreign = {
    at: 7,
    type: 'open',
    behaviour: BEHAVIOR_VERSION + 1,
    responseId: ID,
    request: { model: 'gpt-oss' },
  }
  const entries = block(foreign as unknown as Entry)

  test('a process finds responses that it has room for behind those of an owner with too many here', async () => {
    const { process, pass, shared } = newWorld()
    const engine = heldEngine(0)
    // Those of another version wait for it no longer than until the next look.
    let seconds = 0
    const clock = (): number => (seconds += OTHER_VERSION_SECONDS)
    const next = process(engine, { limits: { leaseSeconds: 10, concurrencyPerOwner: 1 }, clock })
    await next.create({ input: 'Hi', background: true }, { authorization: 'Bearer ann' })
    for (let count = 0; count < 40; count++) {
      await open(shared, { responseId: `resp_${count}`, owner: 'ann', entries, leaseSeconds: 1 })
    }
    await open(shared, { responseId: ID, owner: 'bob', entries, leaseSeconds: 2 })
    pass(3)
    while ((await shared.find(ID, 'bob'))?.state !== 'finished') await next.looked(1)
    expect(await shared.find('resp_0', 'ann')).toEqual({ state: 'running' })
  })

  test('a process takes over no response that it is about to begin, however long its store takes to open it', async () => {
    const { process, pass, shared } = newWorld()
    const opened = shared.open
    let isOpened = false
    let acknowledge = (): void => {}
    const acknowledged = new Promise<void>((resolve) => {
      acknowledge = resolve
    })
    async function openSlowly(...given: Parameters<ResponseStore['open']>) {
      const opening = await opened(...given)
      isOpened = true
      await acknowledged
      return opening
    }
    Object.assign(shared, { open: openSlowly })
    const only = process(undefined)
    const created = only.create({ input: 'Hi', background: true })
    await until(() => isOpened)
    pass(11)
    await only.looked(2)
    acknowledge()
    const { id } = (await created).body
    await over(only, id)
    expect(await statusOf(only, id)).toBe('completed')
    expect(only.metrics.filter(({ type }) => type === 'response_taken_over')).toEqual([])
  })

  test('a process that cannot continue a response yet holds no memory of it, and continues it later', async () => {
    const { process, pass, shared, id } = await died()
    const { lineage } = shared
    let failures = 2
    Object.assign(shared, {
      lineage: (...given: Parameters<ResponseStore['lineage']>) =>
        failures-- > 0 ? Promise.reject(new Error('the store is busy')) : lineage(...given),
    })
    const next = process(undefined)
    for (const left of [1, 0]) {
      pass(11)
      while (failures > left) await next.looked(1)
      await next.looked(1)
      expect(next.service.memory.by.response).toBe(0)
    }
    pass(11)
    await over(next, id)
    expect(await statusOf(next, id)).toMatch(/^(completed|incomplete)$/)
  })
})

describe('a response whose end could not be written', () => {
  /** @returns the error that a client got for a response of a store that then accepts nothing */
  async function failedLive(leaseSeconds: number) {
    const made = newWorld()
    const engine = heldEngine(6)
    const first = made.process(engine, { limits: { leaseSeconds } })
    const init = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ input: 'Hi', stream: true }) }
    const response = await first.send('/v1/responses', init)
    const text = response.text()
    await until(() => engine.sampled === 6)
    first.freeze()
    engine.step(1)
    const last = eventsIn(await text).at(-1)
    return { ...made, first, id: last?.response.id as string, error: last?.response.error }
  }

  test('a process writes the end that its client was told, although its lease has expired', async () => {
    const { first, process, pass, id, error } = await failedLive(10)
    expect(error.code).toBe('server_is_overloaded')
    pass(20)
    first.thaw()
    await first.looked(2)
    expect((await process(undefined).ask('GET', `/responses/${id}`)).body).toMatchObject({ status: 'failed', error })
  })

  test('a process writes the end that its client was told as soon as the store accepts it, before its lease expires', async () => {
    const { first, shared, process, id, error } = await failedLive(1)
    first.thaw()
    while ((await shared.find(id, 'anonymous'))?.state !== 'finished') await first.looked(1)
    expect((await process(undefined).ask('GET', `/responses/${id}`)).body).toMatchObject({ status: 'failed', error })
  })
})

describe('a response of another process', () => {
  /** @param other - the engine of the second process. Default: one that says eight words */
  async function two(other?: HeldEngine) {
    const made = newWorld()
    const engine = heldEngine(6)
    const first = made.process(engine)
    const { body } = await first.create({ input: 'Hi', background: true }, { 'idempotency-key': 'k' })
    await until(() => engine.sampled === 6)
    return { ...made, engine, first, second: made.process(other), id: body.id as string }
  }

  test('another process cancels it, and its own stops and writes nothing more', async () => {
    const { engine, second, first, id } = await two()
    expect((await second.ask('POST', `/responses/${id}/cancel`)).body).toMatchObject({ id, status: 'cancelled' })
    engine.step(100)
    await engine.stopped
    await until(() => first.service.load.running === 0)
    expect(await statusOf(first, id)).toBe('cancelled')
    const events = await first.stream(`/responses/${id}?stream=true`)
    const { body } = await second.ask('GET', `/responses/${id}`)
    expect(events.at(-1)).toMatchObject({ type: 'response.incomplete', response: body })
  })

  test('another process deletes it', async () => {
    const { engine, second, first, id } = await two()
    expect((await second.ask('DELETE', `/responses/${id}`)).status).toBe(200)
    engine.step(100)
    await engine.stopped
    expect((await first.ask('GET', `/responses/${id}`)).status).toBe(404)
  })

  test('another process answers its Idempotency-Key by the same response, and refuses the key for another body', async () => {
    const { second, first, id, engine } = await two()
    const key = { 'idempotency-key': 'k' }
    const again = await second.create({ input: 'Hi', background: true }, key)
    expect([again.status, again.body.id]).toEqual([200, id])
    expect((await second.create({ input: 'Other', background: true }, key)).status).toBe(422)
    await first.ask('POST', `/responses/${id}/cancel`)
    engine.step(1)
  })

  test('another process answers the body that has an Idempotency-Key, although another body is about to begin there', async () => {
    const { process } = newWorld()
    const key = { 'idempotency-key': 'k' }
    const first = process(undefined)
    const second = process(heldEngine(6), { limits: { concurrency: 1 } })
    const running = await second.create({ input: 'Hi', background: true })
    const loser = second.create({ input: 'Other' }, key)
    await until(() => second.service.load.waiting > 0)
    const winner = await first.create({ input: 'Mine', background: true }, key)
    const again = second.create({ input: 'Mine', background: true }, key)
    expect(await Promise.race([again, first.looked(2)])).toBeUndefined()
    await second.ask('POST', `/responses/${running.body.id}/cancel`)
    expect((await loser).status).toBe(422)
    expect([(await again).status, (await again).body.id]).toEqual([200, winner.body.id])
  })

  test('a process that stops does not wait for a response that another one has taken', async () => {
    const { first, second, engine, pass, id } = await two(heldEngine())
    pass(11)
    await until(() => second.metrics.some(({ type }) => type === 'response_taken_over'))
    engine.step(1)
    await until(() => first.service.load.running === 0)
    await first.drain()
    expect(await statusOf(second, id)).toBe('in_progress')
  })

  test('a process that can write nothing shows no end of its own, and its reader finds the rest at another one', async () => {
    const { engine, first, second, pass, id } = await two()
    const events: ResponseStreamEvent[] = []
    const read = async (): Promise<void> => {
      for await (const batch of await first.service.stream(id, 'anonymous')) events.push(...batch)
    }
    const reading = read()
    await until(() => events.length > 0)
    first.freeze()
    engine.step(1)
    await expect(reading).rejects.toThrow('could not be written')
    pass(11)
    const rest = await second.stream(`/responses/${id}?stream=true&starting_after=${events.at(-1)?.sequence_number}`)
    expect(rest.at(-1)?.type).toMatch(/^response\.(completed|incomplete)$/)
    expect(await second.stream(`/responses/${id}?stream=true`)).toEqual([...events, ...rest])
  })

  test('it is cancelled at a process that does not know yet that another one has taken it', async () => {
    const { first, second, pass, id } = await two(heldEngine())
    pass(11)
    await until(() => second.metrics.some(({ type }) => type === 'response_taken_over'))
    expect((await first.ask('POST', `/responses/${id}/cancel`)).body).toMatchObject({ id, status: 'cancelled' })
    expect(await statusOf(second, id)).toBe('cancelled')
  })

  test('a process whose time to stop has passed hands it over, too, and cancels nothing that another one can continue', async () => {
    const { first, second, id } = await two()
    await first.drain(AbortSignal.abort())
    await over(second, id)
    expect(await statusOf(second, id)).toMatch(/^(completed|incomplete)$/)
  })

  test('a process that stops hands it over at once, and the other one continues it', async () => {
    const { first, second, id } = await two()
    await first.drain()
    await over(second, id)
    expect(await statusOf(second, id)).not.toBe('failed')
    expect(second.metrics).toContainEqual({
      type: 'response_taken_over',
      responseId: id,
      continues: true,
      reason: null,
    })
  })
})
