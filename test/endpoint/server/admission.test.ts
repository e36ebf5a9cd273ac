import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { failedAnswer } from '../../../src/endpoint/server/error-answer.js'
import { serveResponses } from '../../../src/endpoint/server/node.js'
import { Admission } from '../../../src/endpoint/server/service/limits/admission.js'
import { createMemoryStore } from '../../../src/endpoint/stores/memory-store.js'
import type { KeptResponse } from '../../../src/endpoint/stores/store.js'
import { answer, fail, hang, type ScriptedTurn, scriptedEngine } from '../../../src/testing/index.js'
import { runs } from '../../support/runs.js'
import { endpoint, heldEngine, JSON_TYPE, readUntil, tokenTable, until } from './endpoint.js'

const streamed = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ input: 'Hi', stream: true }) }

describe('admission', () => {
  test('admission lets those that wait in, in their order, one for each that leaves', async () => {
    const admission = new Admission({ concurrency: 2, queue: 10 })
    const order: number[] = []
    const leaves: (() => void)[] = []
    const enter = async (number: number): Promise<void> => {
      const leave = await admission.enter('ann')
      order.push(number)
      leaves.push(leave)
    }
    const all = [1, 2, 3, 4, 5].map(enter)
    await all[1]
    expect([order, admission.waiting]).toEqual([[1, 2], 3])
    for (let left = 0; left < 3; left++) {
      // A place is released once, however often release is called.
      leaves[left]?.()
      leaves[left]?.()
      await Promise.resolve()
      await Promise.resolve()
      expect(admission.running).toBe(2)
    }
    await Promise.all(all)
    expect(order).toEqual([1, 2, 3, 4, 5])
  })

  test('admission gives the place of a client that leaves the queue to the next one', async () => {
    const admission = new Admission({ concurrency: 1, queue: 1 })
    const leave = await admission.enter('ann')
    const leaving = new AbortController()
    const gone = admission.enter('ann', leaving.signal)
    await expect(admission.enter('ann')).rejects.toMatchObject({ status: 429 })
    leaving.abort(new Error('left'))
    await expect(gone).rejects.toThrow('left')
    const next = admission.enter('ann')
    leave()
    expect(await next).toBeTypeOf('function')
  })

  test('background responses leave a quarter of the places and of the queue to others', async () => {
    const admission = new Admission({ concurrency: 4, queue: 4 })
    const places = [1, 2, 3].map(() => admission.enter('ann', undefined, true))
    const waits = [1, 2, 3].map(() => admission.enter('ann', undefined, true))
    await expect(admission.enter('ann', undefined, true)).rejects.toMatchObject({ status: 429 })
    expect([admission.running, admission.waiting]).toEqual([3, 3])
    const leave = await admission.enter('ann')
    const next = admission.enter('ann')
    leave()
    expect(await next).toBeTypeOf('function')
    const [first] = await Promise.all(places)
    first?.()
    await waits[0]
    expect([admission.running, admission.waiting]).toEqual([4, 2])
  })

  test('one background response is made also where there is one place', async () => {
    const admission = new Admission({ concurrency: 1, queue: 1 })
    const leave = await admission.enter('ann', undefined, true)
    const next = admission.enter('ann', undefined, true)
    leave()
    expect(await next).toBeTypeOf('function')
  })

  test('an owner with half of the places lets those of other owners pass, and only those', async () => {
    const admission = new Admission({ concurrency: 4, queue: 10 })
    const leaves = await Promise.all([1, 2, 3, 4].map(() => admission.enter('ann')))
    const order: string[] = []
    const visit = (owner: string): void => void admission.enter(owner).then(() => order.push(owner))
    for (const owner of ['ann', 'ann', 'bob', 'bob', 'bob']) visit(owner)
    for (const leave of leaves) {
      leave()
      await turn()
    }
    expect(order).toEqual(['bob', 'bob', 'ann', 'ann'])
  })

  test('an owner who fills the queue gives up its last places in it to another owner, down to half', async () => {
    const admission = new Admission({ concurrency: 1, queue: 4 })
    await admission.enter('ann')
    const anns = [1, 2, 3, 4].map(() => admission.enter('ann'))
    const lost = [anns[3], anns[2]].map((place) => expect(place).rejects.toMatchObject({ status: 429 }))
    admission.enter('bob')
    admission.enter('bob')
    await Promise.all(lost)
    await expect(admission.enter('bob')).rejects.toMatchObject({ status: 429 })
    expect(admission.waiting).toBe(4)
  })

  test('an accepted response gives up its place in a full queue to nobody', async () => {
    const admission = new Admission({ concurrency: 1, queue: 4 })
    await admission.enter('ann')
    const accepted = [1, 2, 3].map(() => admission.accept('ann'))
    const last = expect(admission.enter('ann')).rejects.toMatchObject({ status: 429 })
    admission.enter('bob')
    await last
    await expect(admission.enter('bob')).rejects.toMatchObject({ status: 429 })
    expect(accepted.every(({ turn }) => turn !== undefined)).toBe(true)
  })

  test('a server that stops gives accepted responses their turns, and refuses the others that wait', async () => {
    const admission = new Admission({ concurrency: 1, queue: 4 })
    const leave = await admission.enter('ann')
    const accepted = admission.accept('ann')
    const refused = expect(admission.enter('ann')).rejects.toMatchObject({ status: 503 })
    let isDrained = false
    const drained = admission.drain().then(() => {
      isDrained = true
    })
    await refused
    expect(() => admission.accept('ann')).toThrow('The server is stopping.')
    leave()
    await accepted.turn
    await turn()
    expect(isDrained).toBe(false)
    accepted.leave()
    await drained
  })

  test('admission keeps its limits and gives every place back, whatever comes and goes', async () => {
    await fc.assert(
      fc.asyncProperty(LIMITS, fc.array(STEP, { maxLength: 60 }), async (limits, steps) => {
        const admission = new Admission(limits)
        const visits = new Set<Visit>()
        const those = (state: Visit['state']): Visit[] => [...visits].filter((visit) => visit.state === state)
        for (const { owner, act, which, isBackground, isAccepted } of steps) {
          const [entered, waiting] = [those('entered'), those('waiting')]
          if (act === 'enter') {
            const visit: Visit = {
              owner,
              isBackground: isBackground || isAccepted,
              leaving: new AbortController(),
              leave: () => {},
              state: 'waiting',
            }
            visits.add(visit)
            // One that is accepted leaves by itself, wherever it is.
            if (isAccepted) accept(admission, visit)
            else
              admission.enter(owner, visit.leaving.signal, isBackground).then(
                (leave) => Object.assign(visit, { leave, state: 'entered' }),
                (error) => Object.assign(visit, { error, state: 'gone' }),
              )
          } else if (act === 'leave') {
            const left = entered[which % entered.length]
            left?.leave()
            if (left !== undefined) left.state = 'gone'
          } else waiting[which % waiting.length]?.leaving.abort(new Error('left'))
          await turn()
          expect([admission.running, admission.waiting]).toEqual([those('entered').length, those('waiting').length])
          expect(admission.running).toBeLessThanOrEqual(limits.concurrency)
          expect(admission.waiting).toBeLessThanOrEqual(limits.queue)
          const inside = [...those('entered'), ...those('waiting')]
          expect(inside.filter((visit) => visit.owner === owner).length).toBeLessThanOrEqual(limits.concurrencyPerOwner)
          const background = those('entered').filter((visit) => visit.isBackground).length
          expect(background).toBeLessThanOrEqual(Math.max(1, Math.floor(limits.concurrency * 0.75)))
          // A place is free only where everything that waits is in the background.
          if (admission.running < limits.concurrency) expect(those('waiting').every((v) => v.isBackground)).toBe(true)
        }
        for (const { leaving } of those('waiting')) leaving.abort(new Error('left'))
        await turn()
        for (const { leave } of those('entered')) leave()
        expect([admission.running, admission.waiting]).toEqual([0, 0])
        const again = Math.min(limits.concurrencyPerOwner, limits.concurrency)
        for (let count = 0; count < again; count++) await admission.enter('ann')
      }),
      { numRuns: runs(1000) },
    )
  })
})

interface Visit {
  readonly owner: string
  readonly isBackground: boolean
  readonly leaving: AbortController
  readonly leave: () => void
  state: 'entered' | 'waiting' | 'gone'
}

const LIMITS = fc.record({
  concurrency: fc.integer({ min: 1, max: 4 }),
  queue: fc.nat(3),
  concurrencyPerOwner: fc.integer({ min: 1, max: 4 }),
})

const STEP = fc.record({
  owner: fc.constantFrom('ann', 'bob', '__proto__'),
  act: fc.constantFrom('enter', 'enter', 'leave', 'abort'),
  which: fc.nat(9),
  isBackground: fc.boolean(),
  isAccepted: fc.boolean(),
})

function accept(admission: Admission, visit: Visit): void {
  try {
    const { turn, leave } = admission.accept(visit.owner)
    visit.leaving.signal.addEventListener('abort', () => {
      leave()
      visit.state = 'gone'
    })
    const enter = (): void => void Object.assign(visit, { leave, state: 'entered' })
    if (turn === undefined) enter()
    else turn.then(() => visit.state === 'waiting' && enter())
  } catch {
    visit.state = 'gone'
  }
}

/** Lets all settled promises run. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

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
  await engine.stopped
})

test('a refusal names the time in which a place is probably free, by how long responses took', async () => {
  let now = 0
  const admission = new Admission({ concurrency: 2, queue: 0 }, undefined, () => now)
  const refused = async (): Promise<unknown> =>
    await admission.enter('ann').catch(({ retryAfterMs }: { retryAfterMs?: number }) => retryAfterMs)
  const leaves = [await admission.enter('ann'), await admission.enter('bob')]
  expect(await refused()).toBe(0)
  now = 20_000
  leaves[0]?.()
  leaves[0] = await admission.enter('ann')
  expect(await refused()).toBe(10_000)
  now = 60_000
  leaves[1]?.()
  leaves[1] = await admission.enter('bob')
  // The last one, which took 60 seconds, counts a fifth.
  expect(await refused()).toBe(14_000)
  now = 10_000_000
  leaves[1]?.()
  await admission.enter('bob')
  expect(await refused()).toBe(60_000)
})

describe('an owner at its limit', () => {
  const limits = { concurrencyPerOwner: 1 }
  const as = (owner: string): Record<string, string> => ({ ...JSON_TYPE, authorization: `Bearer ${owner}` })
  const refusal = {
    error: {
      message: 'Too many of your requests are being answered. Please try again later.',
      type: 'rate_limit_error',
      param: null,
      code: 'rate_limit_exceeded',
    },
  }

  test('an owner at its limit is answered with 429 and when to try again, while another one is served', async () => {
    const { send, create, engine } = endpoint(heldEngine(200), { limits })
    const first = await send('/v1/responses', { ...streamed, headers: as('ann') })
    const { status, headers, body } = await create({ input: 'Hi' }, as('ann'))
    expect([status, headers.get('retry-after'), body]).toEqual([429, '1', refusal])
    const other = await send('/v1/responses', { ...streamed, headers: as('bob') })
    const reader = (other.body as ReadableStream<Uint8Array>).getReader()
    await readUntil(reader, 'response.output_text.delta')
    await Promise.all([first.body?.cancel(), reader.cancel()])
    await engine.stopped
  })

  test('an owner at its limit takes no place in the queue from others', async () => {
    const { send, create, service } = endpoint(heldEngine(6), {
      limits: { concurrency: 1, queue: 1, concurrencyPerOwner: 1 },
    })
    const first = await send('/v1/responses', { ...streamed, headers: as('ann') })
    expect((await create({ input: 'Hi' }, as('ann'))).status).toBe(429)
    const other = send('/v1/responses', { ...streamed, headers: as('bob') })
    await until(() => service.load.waiting === 1)
    await first.body?.cancel()
    await (await other).body?.cancel()
    await until(() => service.load.running === 0)
  })

  test.each<[what: string, turn: ScriptedTurn, status: number]>([
    ['has ended', answer('Hi'), 200],
    ['has failed', fail(new Error('broken')), 500],
  ])('an owner at its limit may ask again when its response %s', async (_, turn, status) => {
    const { create } = endpoint(() => turn, { limits })
    for (let count = 0; count < 3; count++) expect((await create({ input: 'Hi' }, as('ann'))).status).toBe(status)
  })

  test('an owner at its limit may ask again when its request was refused', async () => {
    const { create } = endpoint(() => answer('Hi'), { limits })
    expect((await create({ input: 'Hi', previous_response_id: 'resp_none' }, as('ann'))).status).toBe(400)
    expect((await create({ input: 'Hi' }, as('ann'))).status).toBe(200)
  })

  test('an owner at its limit may ask again when its client has left', async () => {
    const { send, service } = endpoint(heldEngine(6), { limits })
    for (let count = 0; count < 2; count++) {
      const response = await send('/v1/responses', { ...streamed, headers: as('ann') })
      expect(response.status).toBe(200)
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      if (count === 0) await readUntil(reader, 'response.output_text.delta')
      await reader.cancel()
      await until(() => service.load.running === 0)
    }
  })

  test('an owner at its limit may compact a conversation no more than create a response', async () => {
    const { send, ask } = endpoint(heldEngine(6), { limits })
    const first = await send('/v1/responses', { ...streamed, headers: as('ann') })
    const compact = { model: 'gpt-oss', input: 'Hi' }
    expect((await ask('POST', '/responses/compact', compact, as('ann'))).body).toEqual(refusal)
    await first.body?.cancel()
  })

  test('an owner at its limit gets the response of an Idempotency-Key that it has sent before', async () => {
    const { create, engine } = endpoint(heldEngine(6), { limits })
    const key = { ...as('ann'), 'idempotency-key': 'k' }
    const first = await create({ input: 'Hi', background: true }, key)
    expect((await create({ input: 'Hi', background: true }, key)).body.id).toBe(first.body.id)
    expect(engine.sampled).toBeLessThan(7)
  })
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
  test('draining refuses new requests with 503, those that wait too, and lets the others end', async () => {
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

  test('draining aborts what still runs when its signal aborts, which fails, and does not wait for clients that stopped reading', async () => {
    const { send, drain, create, ask, stream, engine, service } = endpoint(heldEngine(1000))
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
    // Nobody cancelled it.
    const { body } = await ask('GET', `/responses/${background.body.id}`)
    expect(body).toMatchObject({ status: 'failed', error: { code: 'server_error', message: 'aborted' } })
    const events = await stream(`/responses/${background.body.id}?stream=true`)
    expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: body })
    // A client that does not stream must not take half an answer for a whole one.
    expect(await whole).toMatchObject({ status: 503, body: { error: { type: 'server_error' } } })
  })

  test('a client that joined a response by its Idempotency-Key is told that the server stops, too, and the next one begins anew', async () => {
    const store = createMemoryStore()
    const key = { 'idempotency-key': 'one' }
    const { create, service, drain } = endpoint(heldEngine(), { store })
    const answers = [create({ input: 'Hi' }, key)]
    await until(() => service.load.running === 1)
    answers.push(create({ input: 'Hi' }, key))
    await drain(AbortSignal.abort())
    const error = { code: 'server_is_overloaded', message: 'The server is stopping.' }
    for (const told of await Promise.all(answers)) expect(told).toMatchObject({ status: 503, body: { error } })
    expect((await endpoint([answer('Hi')], { store }).create({ input: 'Hi' }, key)).status).toBe(200)
  })

  test('a failure in the words of an aborted response is none of a server that stops', () => {
    const response = { status: 'failed', error: { code: 'server_error', message: 'aborted' } } as KeptResponse
    expect(failedAnswer(response, { isStopped: () => false }).status).toBe(500)
    expect(failedAnswer(response, { isStopped: () => true })).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
    })
  })

  test('draining aborts responses that have not sent their first event when its signal aborts', async () => {
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

  test('close() of a server closes it when its last response has been sent whole', async () => {
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

  test('close() of a server answers those that do not stream before it closes their connections', async () => {
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
