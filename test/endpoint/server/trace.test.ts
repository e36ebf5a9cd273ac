import { describe, expect, test } from 'vitest'
import { traceRecords } from '../../../src/core/trace/trace-records.js'
import type { ResponsesAppOptions, ResponseTrace } from '../../../src/endpoint/server/index.js'
import { functionTools } from '../../../src/endpoint/tools/functions.js'
import { Translator } from '../../../src/index.js'
import { answer, call, type Script, think } from '../../../src/testing/index.js'
import { type Endpoint, endpoint, heldEngine, tokenTable, until } from './endpoint.js'

const dice = functionTools('dice', {
  roll: { description: 'Rolls a die.', parameters: { type: 'object', properties: {} }, run: () => 'a secret four' },
})
const USER = { role: 'user', content: 'Roll' } as const

type Record = ResponseTrace['data'][number]
const ofType = <Type extends Record['type']>(trace: ResponseTrace, type: Type) =>
  trace.data.filter((record) => record.type === type) as Extract<Record, { type: Type }>[]

const countOf = (hidden: readonly { readonly tokens: number }[]) => hidden.reduce((sum, { tokens }) => sum + tokens, 0)

async function traceOf({ ask }: Endpoint, id: string, query = ''): Promise<ResponseTrace> {
  const { status, body } = await ask('GET', `/responses/${id}/trace${query}`)
  expect(status).toBe(200)
  return body
}

const offering = (script: Script, options: Partial<ResponsesAppOptions> = {}) =>
  endpoint(script, {
    tools: [dice],
    offered: { tools: [dice.declaration], instructions: 'Be mysterious.' },
    ...options,
  })

describe('the trace of a response', () => {
  test('has each token of the model and the host, and the events that the client was sent', async () => {
    const served = offering([[think('Hm.'), call('dice.roll', {})], answer('It is four.')], { offered: {} })
    const events = await served.stream('/responses', { model: 'gpt-oss', input: 'Roll', tools: [dice.declaration] })
    const { id } = events.at(-1)?.response ?? {}
    const trace = await traceOf(served, id)
    expect(ofType(trace, 'event').map(({ event }) => event)).toEqual(events)
    expect(trace).toMatchObject({ object: 'response.trace', response_id: id, status: 'completed', has_more: false })
    const tokens = ofType(trace, 'token')
    expect(tokens.map(({ index }) => index)).toEqual(Array.from({ length: trace.tokens }, (_, at) => at))
    const hosts = tokens.filter(({ origin }) => origin === 'host').map(({ text }) => text)
    expect(hosts.join('')).toContain('a secret four')
    expect(ofType(trace, 'message').map(({ header }) => header.channel)).toEqual([
      'analysis',
      'commentary',
      'commentary',
      'final',
    ])
  })

  test('says of the messages of the prompt which item each came from, with the ids that the model read', async () => {
    const served = endpoint([answer('Hello.'), answer('Bye.')])
    const { body: first } = await served.create({ input: 'Hi', instructions: 'Be brief.' })
    const { body } = await served.create({ input: 'Bye', instructions: 'Be brief.', previous_response_id: first.id })
    const { prompt } = await traceOf(served, body.id)
    const read = Array.from(served.engine.calls[1]?.tokens ?? [])
    const ids = prompt?.messages?.flatMap((message) => message.ids ?? [])
    expect(ids).toEqual(read.slice(0, prompt?.tokens))
    const { body: list } = await served.ask('GET', `/responses/${body.id}/input_items?order=asc`)
    expect(prompt?.messages?.map(({ role, item_id }) => [role, item_id])).toEqual([
      ['system', undefined],
      ['developer', undefined],
      ...list.data.map((item: { role: string; id: string }) => [item.role, item.id]),
    ])
  })

  test('has log-probabilities that the engine sent', async () => {
    const served = endpoint([answer('Hi')])
    const asked = { input: 'Hi', include: ['message.output_text.logprobs'], top_logprobs: 2 }
    const { body } = await served.create(asked)
    const trace = await traceOf(served, body.id)
    const scored = ofType(trace, 'token').filter(({ logprob }) => logprob !== undefined)
    expect(scored.length).toBeGreaterThan(0)
    expect(body.output[0].content[0].logprobs[0].logprob).toBe(scored.at(-2)?.logprob ?? scored[0]?.logprob)
  })

  test('of a running response ends with the tokens so far', async () => {
    const engine = heldEngine(5)
    const served = endpoint(engine)
    const { body } = await served.create({ input: 'Hi', background: true })
    await until(() => engine.sampled === 5)
    let trace = await traceOf(served, body.id)
    while (trace.tokens < 5) trace = await traceOf(served, body.id)
    expect([trace.status, trace.tokens]).toEqual(['in_progress', 5])
    await served.ask('POST', `/responses/${body.id}/cancel`)
    expect((await traceOf(served, body.id)).status).toBe('cancelled')
  })

  test('comes in windows of tokens that together are the whole', async () => {
    const served = offering([[think('Hm, well.'), call('dice.roll', {})], answer('It is four.')], { offered: {} })
    const { body } = await served.create({ input: 'Roll', tools: [dice.declaration] })
    const whole = await traceOf(served, body.id)
    const parts: ResponseTrace[] = [await traceOf(served, body.id, '?limit=7')]
    while (parts.at(-1)?.has_more) parts.push(await traceOf(served, body.id, `?limit=7&after=${parts.at(-1)?.last}`))
    expect(parts.length).toBe(Math.ceil(whole.tokens / 7))
    expect(parts.flatMap(({ data }) => data)).toEqual(whole.data)
    expect(parts.map((part) => 'prompt' in part)).toEqual(parts.map((_, at) => at === 0))
    const after = await traceOf(served, body.id, `?after=${whole.last}`)
    expect([after.data, after.last, after.has_more]).toEqual([[], whole.last, false])
  })

  test.each(['?limit=0', '?limit=10001', '?after=-1', '?after=x'])('%s is refused', async (query) => {
    const served = endpoint([answer('Hi')])
    const { body } = await served.create({ input: 'Hi' })
    expect((await served.ask('GET', `/responses/${body.id}/trace${query}`)).status).toBe(400)
  })
})

describe('a trace that there is not', () => {
  test('another owner, an unknown id and a response that is not stored have none', async () => {
    const served = endpoint(() => answer('Hi'))
    const { body } = await served.create({ input: 'Hi' })
    const { body: unstored } = await served.create({ input: 'Hi', store: false })
    const theirs = await served.ask('GET', `/responses/${body.id}/trace`, undefined, { authorization: 'Bearer eve' })
    const unknown = await served.ask('GET', '/responses/resp_0/trace')
    const transient = await served.ask('GET', `/responses/${unstored.id}/trace`)
    expect([theirs, unknown, transient].map(({ status }) => status)).toEqual([404, 404, 404])
    expect(theirs.body).toEqual(JSON.parse(JSON.stringify(unknown.body).replaceAll('resp_0', body.id)))
  })
})

describe('what clients are not shown', () => {
  test('hidden reasoning is a count of tokens, without text, ids and messages, in the answer and in the prompt', async () => {
    const options = { response: { reasoning: 'hidden' as const }, offered: {} }
    const served = offering([[think('Clandestine.'), call('dice.roll', {})], answer('Four.'), answer('Bye')], options)
    const given = { tools: [dice.declaration] }
    const { body } = await served.create({ input: [USER], ...given })
    const trace = await traceOf(served, body.id)
    expect(JSON.stringify(trace)).not.toMatch(/landestine|analysis/)
    const hidden = ofType(trace, 'hidden')
    expect(hidden[0]).toMatchObject({ from: 0, origin: 'model' })
    expect(ofType(trace, 'token')[0]?.index).toBe(countOf(hidden))
    expect(JSON.stringify(trace)).toContain('a secret four')
    const { body: next } = await served.create({ input: 'Bye', previous_response_id: body.id, ...given })
    const { prompt } = await traceOf(served, next.id)
    expect(JSON.stringify(prompt)).not.toContain('analysis')
    expect(prompt?.messages?.every(({ ids }) => ids !== null)).toBe(true)
  })

  test('hidden calls and their results are counts of tokens, in the answer and in the prompt', async () => {
    const served = offering([call('dice.roll', {}), answer('Done.'), answer('Bye')], { offeredCalls: 'hidden' })
    const events = await served.stream('/responses', { model: 'gpt-oss', input: 'Roll' })
    const { id } = events.at(-1)?.response ?? {}
    const trace = await traceOf(served, id)
    expect(ofType(trace, 'event').map(({ event }) => event)).toEqual(events)
    expect(JSON.stringify(trace)).not.toMatch(/dice|roll|secret|mysterious/)
    expect(ofType(trace, 'hidden').map(({ origin }) => origin)).toEqual(['model', 'host'])
    expect(ofType(trace, 'message').map(({ header }) => header.channel)).toEqual(['final'])
    const { body: next } = await served.create({ input: 'Bye', previous_response_id: id })
    const { prompt } = await traceOf(served, next.id)
    expect(JSON.stringify(prompt)).not.toMatch(/dice|roll/)
    expect(prompt?.messages?.filter(({ ids, role }) => ids === null && role === 'tool')).toHaveLength(1)
  })

  test('a call that the client declared itself is shown, and so is its result', async () => {
    const served = offering([call('dice.roll', {}), answer('Done.')], { offeredCalls: 'hidden' })
    const { body } = await served.create({ input: 'Roll', tools: [dice.declaration] })
    const trace = await traceOf(served, body.id)
    expect([ofType(trace, 'hidden'), JSON.stringify(trace).includes('a secret four')]).toEqual([[], true])
  })

  test("the operator's instructions and tools are counted, and what the client wrote is shown", async () => {
    const served = offering([answer('Hi')])
    const { body } = await served.create({ input: 'Hi' })
    const { prompt } = await traceOf(served, body.id)
    expect(prompt?.messages?.map(({ role, ids }) => [role, ids === null])).toEqual([
      ['system', true],
      ['developer', true],
      ['user', false],
    ])
  })

  test('reasoning that is being written is not shown either', async () => {
    const served = endpoint([[think('Clandestine plans'), answer('Hi')]], { response: { reasoning: 'hidden' } })
    const { body } = await served.create({ input: 'Hi', max_output_tokens: 4 })
    const trace = await traceOf(served, body.id)
    expect(JSON.stringify(trace)).not.toMatch(/landestine/)
    expect(countOf(ofType(trace, 'hidden'))).toBe(trace.tokens)
  })
})

test('records over HTTP are those of a translator that is given the same tokens', async () => {
  const served = endpoint([[think('Hm.'), answer('Hello.')]])
  const { body } = await served.create({ input: 'Hi' })
  const trace = await traceOf(served, body.id)
  const records: unknown[] = []
  const translator = new Translator({
    ...{ tokenTable, request: {}, responseId: 'r', clock: () => 0 },
    ...traceRecords((record) => records.push(record)),
  } as never)
  for (const { token } of ofType(trace, 'token')) translator.push(token as number)
  const kept = (all: readonly unknown[]) =>
    all.filter((record) => ['token', 'harmony', 'message'].includes((record as Record).type))
  expect(kept(trace.data)).toEqual(kept(records))
})
