import { expect, test } from 'vitest'
import { answer } from '../../../src/testing/index.js'
import { endpoint } from './endpoint.js'

const DAY = 86_400
/** 23:59 on 2026-11-29. */
const EVENING = Date.UTC(2026, 10, 29, 23, 59) / 1000

function atNight(response: object = {}) {
  let now = EVENING
  const served = endpoint(() => answer('Hi'), { clock: () => now, response })
  const pass = (seconds: number): void => {
    now += seconds
  }
  const dates = () =>
    served.engine.calls.map(({ messages }) => /Current date: (\S+)/.exec(messages[0]?.content ?? '')?.[1])
  return { ...served, dates, pass }
}

test('a stored conversation keeps the date of its beginning over midnight, so that the engine reads only what is new', async () => {
  const { create, dates, pass, engine } = atNight()
  const first = await create({ input: 'Hi' })
  pass(120)
  const second = await create({ input: 'And now?', previous_response_id: first.body.id })
  pass(DAY)
  await create({ input: 'And now?', previous_response_id: second.body.id })
  await create({ input: 'Hi' })
  expect(dates()).toEqual(['2026-11-29', '2026-11-29', '2026-11-29', '2026-12-01'])
  const [one, two] = engine.calls.map(({ tokens }) => [...tokens])
  expect(two?.slice(0, one?.length)).toEqual(one)
})

test('requests without a stored conversation are told the day on which they come', async () => {
  const { create, dates, pass } = atNight()
  await create({ input: 'Hi', store: false })
  pass(120)
  await create({
    input: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hi' },
      { role: 'user', content: 'Bye' },
    ],
    store: false,
  })
  expect(dates()).toEqual(['2026-11-29', '2026-11-30'])
})

test('the date is what the host says, also in a count and in a compaction, or none', async () => {
  for (const date of ['2020-02-02', undefined]) {
    const { create, ask, dates } = atNight({ date: () => date })
    const { body } = await create({ input: 'Hi' })
    await ask('POST', '/responses/compact', { model: 'gpt-oss', previous_response_id: body.id })
    expect(dates()).toEqual([date, date])
    const counted = await ask('POST', '/responses/input_tokens', { input: 'Hi' })
    expect(counted.body.input_tokens).toBe(body.usage.input_tokens)
  }
})

test('a conversation that goes on over midnight is counted with the date with which it is continued', async () => {
  const { create, ask, pass } = atNight({ date: (at: number) => (at < EVENING + 60 ? '2026-11-29' : undefined) })
  const { body } = await create({ input: 'Hi' })
  pass(120)
  const next = { input: 'And now?', previous_response_id: body.id }
  const counted = await ask('POST', '/responses/input_tokens', next)
  const continued = await create(next)
  expect(counted.body.input_tokens).toBe(continued.body.usage.input_tokens)
})
