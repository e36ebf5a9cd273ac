import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResponseStreamEvent } from '../../../src/core/responses/events.js'
import { createSeal } from '../../../src/endpoint/seal/index.js'
import { type Append, createMemoryStore, type ResponseStore } from '../../../src/endpoint/stores/index.js'
import { answer, scriptedEngine, think } from '../../../src/testing/index.js'
import { runs } from '../../support/runs.js'
import { type Endpoint, endpoint, JSON_TYPE } from './endpoint.js'

// A store that other processes share, some of whose appends fail: its responses can be continued from what it has.

const WORDS = 'one two three four five six seven eight'
const seal = createSeal([{ id: 'a', key: new Uint8Array(32).fill(1) }])

/**
 * @param fails - whether an append fails, by how many came before it; with `isDone` only its answer is lost
 * @param before - runs before each that fails
 */
function failing(
  fails: (append: Append, at: number) => boolean,
  isDone = false,
  before: (store: ResponseStore, all: readonly Append[]) => Promise<void> = async () => {},
) {
  const real = createMemoryStore()
  let appends = 0
  const store: ResponseStore = {
    ...real,
    durability: 'process',
    async append(all) {
      const isFailing = all.some((each) => fails(each, appends))
      appends += 1
      if (isFailing) await before(real, all)
      const result = isFailing && !isDone ? [] : await real.append(all)
      if (isFailing) throw new Error('the connection was lost')
      return result
    },
  }
  const engine = scriptedEngine(() => [think('Hm.'), answer(WORDS)])
  const served = endpoint(engine, { store, seal, onDisconnect: 'finish', limits: { leaseSeconds: 1 } })
  return Object.assign(served, { appends: () => appends })
}

/** All events of a response, whose client comes back as often as its connection breaks. */
async function eventsOf({ send }: Endpoint): Promise<ResponseStreamEvent[]> {
  const init = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ input: 'Hi', stream: true }) }
  const events = await read(await send('/v1/responses', init))
  const { response } = events[0] as { readonly response: { readonly id: string } }
  while (!/^response\.(completed|failed)$/.test(events.at(-1)?.type ?? '')) {
    const after = `stream=true&starting_after=${events.at(-1)?.sequence_number}`
    events.push(...(await read(await send(`/v1/responses/${response.id}?${after}`))))
  }
  return events
}

/** The events of a stream, until it is cut off. */
async function read({ body }: Response): Promise<ResponseStreamEvent[]> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const part of body as unknown as AsyncIterable<Uint8Array>)
      text += decoder.decode(part, { stream: true })
  } catch {
    // Its client comes back.
  }
  return Array.from(text.matchAll(/^data: (.*)$/gm), ([, data = '']) => JSON.parse(data))
}

test('a response completes although an append of its shared store fails, and its client misses no event', async () => {
  const whole = failing(() => false)
  await eventsOf(whole)
  const last = whole.appends() - 1
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: last }), fc.boolean(), async (after, isDone) => {
      const served = failing((_, at) => at === after, isDone)
      const events = await eventsOf(served)
      expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at))
      const end = events.at(-1) as { readonly type: string; readonly response: { readonly id: string } }
      expect(end).toMatchObject({ type: 'response.completed', response: { status: 'completed' } })
      expect(JSON.stringify(end)).toContain(WORDS)
      expect((await served.ask('GET', `/responses/${end.response.id}`)).body).toEqual(end.response)
      expect(await served.stream(`/responses/${end.response.id}?stream=true`)).toEqual(events)
      expect(served.errors).toHaveLength(1)
    }),
    {
      numRuns: runs(100),
      examples: [
        [1, false],
        [2, true],
        [last, false],
      ],
    },
  )
})

test('a response of which a shared store takes no token, wherever it is continued, fails after a hundred take-overs', async () => {
  let takeOvers = 0
  const served = failing(
    ({ entries, end }) => entries !== undefined && end === undefined,
    false,
    async ({ claim }, all) => {
      const claimed = { ...(all[0] as Append).lease, leaseSeconds: 0, isForced: true }
      while (++takeOvers <= 97) await claim(claimed)
    },
  )
  const { status, body } = await served.create({ input: 'Hi' })
  expect([status, body.error.code]).toEqual([503, 'server_is_overloaded'])
  expect(takeOvers).toBe(100)
})
