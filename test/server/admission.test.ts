import { describe, expect, test } from 'vitest'
import { serveResponses } from '../../src/server/node.js'
import { createAdmission } from '../../src/server/service/admission.js'
import { answer, hang, scriptedEngine } from '../../src/testing/index.js'
import { endpoint, heldEngine, JSON_TYPE, readUntil, tokenTable, until } from './endpoint.js'

const streamed = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ input: 'Hi', stream: true }) }

describe('admission', () => {
  test('lets those that wait in, in their order, one for each that leaves', async () => {
    const admission = createAdmission({ concurrency: 2, queue: 10 })
    const order: number[] = []
    const leaves: (() => void)[] = []
    const enter = async (number: number): Promise<void> => {
      const leave = await admission.enter()
      order.push(number)
      leaves.push(leave)
    }
    const all = [1, 2, 3, 4, 5].map(enter)
    await all[1]
    expect([order, admission.waiting]).toEqual([[1, 2], 3])
    for (let left = 0; left < 3; left++) {
      // A place is given back once, however often that is said.
      leaves[left]?.()
      leaves[left]?.()
      await Promise.resolve()
      await Promise.resolve()
      expect(admission.running).toBe(2)
    }
    await Promise.all(all)
    expect(order).toEqual([1, 2, 3, 4, 5])
  })

  test('gives the place of a client that leaves the queue to the next one', async () => {
    const admission = createAdmission({ concurrency: 1, queue: 1 })
    const leave = await admission.enter()
    const leaving = new AbortController()
    const gone = admission.enter(leaving.signal)
    await expect(admission.enter()).rejects.toMatchObject({ status: 429 })
    leaving.abort(new Error('left'))
    await expect(gone).rejects.toThrow('left')
    const next = admission.enter()
    leave()
    expect(await next).toBeTypeOf('function')
  })

  test.each([{ concurrency: 0 }, { concurrency: 1.5 }, { queue: -1 }])('refuses %j', (limits) => {
    expect(() => createAdmission(limits)).toThrow(/limits\./)
  })
})

test('a request that finds the queue full is answered with 429 and when to try again', async () => {
  const { send, create, engine } = endpoint(heldEngine(6), { limits: { concurrency: 1, queue: 0 } })
  const first = await send('/v1/responses', streamed)
  const { status, headers, body } = await create({ input: 'Hi' })
  expect([status, headers.get('retry-after'), body.error]).toEqual([
    429,
    '1',
    expect.objectContaining({ code: 'rate_limit_exceeded', type: 'rate_limit_error' }),
  ])
  await first.body?.cancel()
  await until(() => engine.sampled === 0)
})

test('many streams at once are never more than there may be, and all of them are answered', async () => {
  let most = 0
  const served = endpoint(
    () => {
      most = Math.max(most, served.service.load.running)
      return answer('Hi')
    },
    { limits: { concurrency: 4, queue: 100 } },
  )
  const streams = await Promise.all(Array.from({ length: 60 }, () => served.stream('/responses', { input: 'Hi' })))
  expect(streams.every((events) => events.at(-1)?.type === 'response.completed')).toBe(true)
  expect(most).toBe(4)
  expect(served.service.load).toEqual({ running: 0, waiting: 0 })
})

describe('draining', () => {
  test('refuses new requests with 503, those that wait too, and lets the others end', async () => {
    const { send, create, ask, drain, engine, service } = endpoint(heldEngine(6), { limits: { concurrency: 1 } })
    const running = await send('/v1/responses', streamed)
    const reader = (running.body as ReadableStream<Uint8Array>).getReader()
    await readUntil(reader, 'response.output_text.delta')
    const waiting = create({ input: 'Hi' })
    await until(() => service.load.waiting === 1)
    let isDrained = false
    const drained = drain().then(() => {
      isDrained = true
    })
    const refused = await create({ input: 'Hi' })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect((await waiting).status).toBe(503)
    expect((await ask('GET', '/models')).status).toBe(200)
    expect(isDrained).toBe(false)
    await reader.cancel()
    await engine.stopped
    await drained
  })

  test('cancels what still runs when its signal aborts, and does not wait for clients that stopped reading', async () => {
    const { send, drain, create, ask, engine, service } = endpoint(heldEngine(1000))
    const running = await send('/v1/responses', streamed)
    const reader = (running.body as ReadableStream<Uint8Array>).getReader()
    await readUntil(reader, 'response.output_text.delta')
    const background = await create({ input: 'Hi', background: true })
    const whole = create({ input: 'Hi' })
    await until(() => service.load.running === 3)
    const grace = new AbortController()
    const drained = drain(grace.signal)
    grace.abort()
    await drained
    await engine.stopped
    expect((await ask('GET', `/responses/${background.body.id}`)).body.status).toBe('cancelled')
    // Who does not stream must not take half an answer for a whole one.
    expect(await whole).toMatchObject({ status: 503, body: { error: { type: 'server_error' } } })
  })

  test('cancels what has not sent its first event when its signal aborts', async () => {
    const { create, drain, service } = endpoint(heldEngine(6), {
      tools: [
        {
          answers: () => false,
          run: async () => ({ output: '' }),
          listings: (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve([]))),
        },
      ],
    })
    const tools = [{ type: 'mcp', server_label: 'docs' }]
    const whole = create({ input: 'Hi', tools })
    await until(() => service.load.running === 1)
    await drain(AbortSignal.abort())
    expect((await whole).status).toBe(503)
  })

  test('of a server closes it when its last response has been sent whole', async () => {
    const engine = heldEngine(6)
    const server = await serveResponses({ engine, tokenTable, port: 0, onError: () => {} })
    const response = await fetch(`${server.url}/v1/responses`, streamed)
    const text = response.text()
    await engine.asked
    const closed = server.close({ graceMs: 0 })
    expect(await text).toContain('event: response.failed')
    await closed
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow()
  })

  test('of a server answers those that do not stream before it closes their connections', async () => {
    let go = (_turn: ReturnType<typeof answer>): void => {}
    const turn = new Promise<ReturnType<typeof answer>>((resolve) => {
      go = resolve
    })
    const engine = scriptedEngine(() => turn)
    const server = await serveResponses({ engine, tokenTable, port: 0 })
    const body = JSON.stringify({ input: 'Hi' })
    const answered = fetch(`${server.url}/v1/responses`, { ...streamed, body })
    await until(() => engine.calls.length === 1)
    const closed = server.close()
    go(answer('x'.repeat(100_000)))
    expect((await (await answered).text()).length).toBeGreaterThan(100_000)
    await closed
  })
})

test('a server that others could reach needs a key', async () => {
  const engine = endpoint([hang()]).engine
  await expect(serveResponses({ engine, tokenTable, port: 0, hostname: '0.0.0.0' })).rejects.toThrow(/authorize/)
})
