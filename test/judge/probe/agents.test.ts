import { describe, expect, test } from 'vitest'
import type { WireEvent } from '../../../src/judge/conformance/arbitraries/faults/wire-event.js'
import type { Habit, Json } from './model.js'
import { closeServers, probed, rulesOf, serve } from './play.js'
import { type Faults, sendJson } from './server.js'

closeServers()

const resultOf = async (scenario: string, faults: Faults = {}, ...own: Habit[]) => {
  const server = await serve(faults, own)
  const results = await probed(server.url, { only: [scenario] })
  return { result: results.get(scenario), asked: server.asked }
}

/** The events of a stream, with something replaced in all of them. */
const replaced =
  (pattern: RegExp, by: string): NonNullable<Faults['events']> =>
  (events) =>
    JSON.parse(JSON.stringify(events).replace(pattern, by)) as WireEvent[]

const inputOf = ({ body }: { readonly body: Json }): Json[] => body['input'] as Json[]

describe('tool-loop', () => {
  test('asks ten times, with all items so far, and once more for the answer', async () => {
    const { result, asked } = await resultOf('tool-loop')
    expect(result).toMatchObject({ verdict: 'pass', requests: 11 })
    const asks = asked.filter(({ path }) => path === '/v1/responses')
    expect(asks.map((one) => inputOf(one).filter(({ type }) => type === 'function_call_output').length)).toEqual([
      ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    ])
    expect(asks.at(-1)?.body['tool_choice']).toBe('none')
  })

  test('finds a call_id that comes again in a later turn', async () => {
    const { result } = await resultOf('tool-loop', { events: replaced(/"call_id":"[^"]+"/g, '"call_id":"call_1"') })
    expect(result?.findings).toMatchObject([
      ...Array.from({ length: 9 }, (_, at) => ({ rule: 'call-ids-differ', request: `turn ${at + 2}` })),
    ])
  })

  test('finds a server that refuses a long history of its own items', async () => {
    const reply: Faults['reply'] = ({ body }, response) => {
      if (!Array.isArray(body['input']) || body['input'].length < 20) return false
      sendJson(response, 400, { error: { message: 'too many items', type: 'x', param: null, code: null } })
      return true
    }
    const { result } = await resultOf('tool-loop', { reply })
    expect(rulesOf(result)).toEqual(['items-go-back'])
  })

  test('is inconclusive where the model stops to call', async () => {
    const { result } = await resultOf('tool-loop', {}, 'answers in text')
    expect(result).toMatchObject({ verdict: 'inconclusive', why: 'the model made no call in turn 1 of 10' })
  })
})

describe('parallel-calls', () => {
  test('sends the outputs back in another order than the calls', async () => {
    const { asked } = await resultOf('parallel-calls')
    const back = asked.filter(({ path }) => path === '/v1/responses').map(inputOf)[1] ?? []
    const idsOf = (type: string): unknown[] =>
      back.filter((item) => item['type'] === type).map((item) => item['call_id'])
    expect(idsOf('function_call')).toHaveLength(5)
    expect(idsOf('function_call_output')).toEqual(idsOf('function_call').toReversed())
  })

  test('finds calls that share an id', async () => {
    const { result } = await resultOf('parallel-calls', {
      events: replaced(/"call_id":"[^"]+"/g, '"call_id":"call_1"'),
    })
    expect(rulesOf(result)).toContain('call-ids-differ')
  })

  test('finds several calls in spite of parallel_tool_calls: false', async () => {
    const { result } = await resultOf('parallel-calls', { read: ({ parallel_tool_calls: _, ...body }) => body })
    expect(result?.findings).toMatchObject([{ rule: 'parallel-kept', got: '5 calls' }])
  })
})

describe('strict-bodies', () => {
  test('finds arguments that the strict schema does not allow', async () => {
    const { result } = await resultOf('strict-bodies', { events: replaced(/outside/g, 'somewhere') })
    expect(result?.findings).toMatchObject([
      { rule: 'arguments-kept', request: 'call' },
      { rule: 'format-kept', request: 'answer' },
    ])
  })

  test('is unsupported where strict bodies are refused', async () => {
    const reply: Faults['reply'] = (_, response) => {
      sendJson(response, 400, { error: { message: 'no strict', type: 'x', param: null, code: null } })
      return true
    }
    expect((await resultOf('strict-bodies', { reply })).result).toMatchObject({ verdict: 'unsupported', findings: [] })
  })
})

describe('long-reasoning', () => {
  test('finds reasoning that is not counted', async () => {
    const { result } = await resultOf('long-reasoning', {
      events: replaced(/"reasoning_tokens":\d+/g, '"reasoning_tokens":0'),
    })
    expect(rulesOf(result)).toContain('reasoning-counted')
  })

  test('finds markers of the model in the answer', async () => {
    const { result } = await resultOf('long-reasoning', { events: replaced(/Hello there!/g, '<|channel|>Hello') })
    expect(rulesOf(result)).toContain('reasoning-apart')
  })

  test('is inconclusive where the model does not reason', async () => {
    const { result } = await resultOf('long-reasoning', {}, 'never reasons')
    expect(result).toMatchObject({ verdict: 'inconclusive', findings: [] })
  })
})

describe('cancel', () => {
  test('finds a cancelled response that is not, at once or later', async () => {
    const goesOn: Faults['stored'] = (response, isCancelled) =>
      isCancelled ? { ...response, status: 'in_progress' } : response
    expect((await resultOf('cancel', { stored: goesOn })).result?.findings).toMatchObject([
      { rule: 'cancels', request: 'cancel', got: '"in_progress"' },
    ])
    const forgets: Faults['stored'] = (response, isCancelled) =>
      isCancelled ? response : { ...response, status: 'in_progress' }
    expect((await resultOf('cancel', { stored: forgets })).result?.findings).toMatchObject([
      { rule: 'cancels', request: 'cancelled response', got: '"in_progress"' },
    ])
  })

  test('finds a server that fails at it', async () => {
    const reply: Faults['reply'] = ({ path }, response) => {
      if (!path.endsWith('/cancel')) return false
      sendJson(response, 500, { error: { message: 'no', type: 'x', param: null, code: null } })
      return true
    }
    expect(rulesOf((await resultOf('cancel', { reply })).result)).toEqual(['answers'])
  })

  test('is unsupported where responses do not run in the background, or are not cancelled', async () => {
    const ignored = await resultOf('cancel', { read: ({ background: _, ...body }) => body })
    expect(ignored.result).toMatchObject({
      verdict: 'unsupported',
      why: 'the request to run in the background is ignored',
      findings: [],
    })
    const reply: Faults['reply'] = ({ path }, response) => {
      if (!path.endsWith('/cancel')) return false
      sendJson(response, 404, { error: { message: 'no such path', type: 'x', param: null, code: null } })
      return true
    }
    expect((await resultOf('cancel', { reply })).result).toMatchObject({ verdict: 'unsupported', findings: [] })
  })
})
