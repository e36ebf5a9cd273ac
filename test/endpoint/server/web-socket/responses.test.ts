import { expect, test } from 'vitest'
import { openResponses } from '../../../../src/dialects/index.js'
import { answer, call, fail, firstTokens, hang, scriptedEngine, think } from '../../../../src/testing/index.js'
import { namedBlock } from '../../../docs/pages.js'
import { connect, create, echo, faultsIn, responseOf, serve, textOf } from './sockets.js'

test('each event is a text frame, and the stream is as over HTTP', async () => {
  const server = await serve({ engine: scriptedEngine(echo) })
  const client = await connect(server)
  client.send(create('Hi'))
  const frames = await client.answer()
  const http = await fetch(`${server.url}/v1/responses`, {
    method: 'POST',
    body: JSON.stringify({ model: 'gpt-oss', input: 'Hi', stream: true }),
  })
  const typesOverHttp = [...(await http.text()).matchAll(/^event: (.+)$/gm)].map(([, type]) => type)
  expect(frames.map(({ type }) => type)).toEqual(typesOverHttp)
  expect(faultsIn(frames)).toEqual([])
  expect(textOf(frames)).toBe('1: Hi')
})

test('requests are answered one after the other, in the order in which they came', async () => {
  const client = await connect(await serve({ engine: scriptedEngine(echo) }))
  for (const input of ['a', 'b', 'c']) client.send(create(input))
  const answers = [await client.answer(), await client.answer(), await client.answer()]
  expect(answers.map(textOf)).toEqual(['1: a', '1: b', '1: c'])
  expect(answers.flatMap(faultsIn)).toEqual([])
})

test.each([true, false])('a request continues from a response with store: %s', async (store) => {
  const client = await connect(await serve({ engine: scriptedEngine(echo) }))
  client.send(create('a', { store }))
  const { id } = responseOf(await client.answer())
  client.send(create('b', { store, previous_response_id: id }))
  const second = await client.answer()
  expect(textOf(second)).toBe('2: b')
  client.send(create('c', { store, previous_response_id: responseOf(second).id }))
  expect(textOf(await client.answer())).toBe('3: c')
})

test('another connection knows stored responses alone', async () => {
  const server = await serve({ engine: scriptedEngine(echo) })
  const [one, other] = [await connect(server), await connect(server)]
  const ids: string[] = []
  for (const store of [true, false]) {
    one.send(create('a', { store }))
    ids.push(responseOf(await one.answer()).id)
  }
  const [stored, transient] = ids
  other.send(create('b', { previous_response_id: stored }))
  expect(textOf(await other.answer())).toBe('2: b')
  other.send(create('b', { previous_response_id: transient }))
  const shown = namedBlock('docs/web-socket.md', 'error').code.replace('resp_0a1b2c3d', String(transient))
  expect(await other.answer()).toEqual([JSON.parse(shown)])
})

test('only the latest responses that are not stored are remembered', async () => {
  const client = await connect(await serve({ engine: scriptedEngine(echo), limits: { rememberedResponses: 2 } }))
  const ids: string[] = []
  for (const input of ['a', 'b', 'c']) {
    client.send(create(input, { store: false }))
    ids.push(responseOf(await client.answer()).id)
  }
  for (const [index, type] of ['error', 'response.completed', 'response.completed'].entries()) {
    client.send(create('d', { previous_response_id: ids[index] }))
    expect((await client.answer()).at(-1)?.type).toBe(type)
  }
})

test('generate: false prepares a response that the next request continues from', async () => {
  const engine = scriptedEngine(echo)
  const client = await connect(await serve({ engine }))
  client.send(create([{ role: 'developer', content: 'Be brief.' }], { store: false, generate: false }))
  const prepared = await client.answer()
  expect(faultsIn(prepared)).toEqual([])
  expect(responseOf(prepared)).toMatchObject({ status: 'completed', output: [] })
  expect(engine.calls).toEqual([])
  client.send(create('Hi', { store: false, previous_response_id: responseOf(prepared).id }))
  expect(textOf(await client.answer())).toBe('1: Hi')
  expect(JSON.stringify(engine.calls[0]?.messages)).toContain('Be brief.')
})

test('the call of a response that is not stored is answered by its call_id', async () => {
  const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' }, strict: false }]
  const engine = scriptedEngine([[think('Hm.'), call('functions.f')], answer('Done.')])
  const client = await connect(await serve({ engine }))
  client.send(create('Hi', { store: false, tools }))
  const { id, output } = responseOf(await client.answer())
  const { call_id } = output.at(-1) as unknown as { call_id: string }
  const result = { type: 'function_call_output', call_id, output: '42' }
  client.send(create([result], { store: false, tools, previous_response_id: id }))
  expect(textOf(await client.answer())).toBe('Done.')
})

test('an unknown call_id is refused, and its response is forgotten', async () => {
  const client = await connect(await serve({ engine: scriptedEngine(echo) }))
  client.send(create('a', { store: false }))
  const { id: previous_response_id } = responseOf(await client.answer())
  const result = { type: 'function_call_output', call_id: 'call_x', output: '' }
  client.send(create([result], { previous_response_id }))
  expect(await client.answer()).toMatchObject([
    { type: 'error', status: 400, error: { type: 'invalid_request_error' } },
  ])
  client.send(create('b', { previous_response_id }))
  expect(await client.answer()).toMatchObject([
    { type: 'error', status: 400, error: { code: 'previous_response_not_found', param: 'previous_response_id' } },
  ])
  client.send(create('c'))
  expect(textOf(await client.answer())).toBe('1: c')
})

test('a response is remembered when the server is too busy to continue from it', async () => {
  const engine = scriptedEngine(({ messages, turn }) =>
    turn === 2 ? gate.then(() => answer('')) : echo({ messages } as never),
  )
  let open = (): void => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const server = await serve({ engine, limits: { concurrency: 1, queue: 0 } })
  const [client, busy] = [await connect(server), await connect(server)]
  client.send(create('a', { store: false }))
  const { id: previous_response_id } = responseOf(await client.answer())
  busy.send(create('long'))
  await busy.frame()
  client.send(create('b', { previous_response_id }))
  expect(await client.answer()).toMatchObject([{ status: 429, error: { headers: { 'retry-after': '1' } } }])
  open()
  await busy.answer()
  client.send(create('b', { previous_response_id }))
  expect(textOf(await client.answer())).toBe('2: b')
})

test('a failure of the engine is one response.failed, even if errors are events over HTTP', async () => {
  const engine = scriptedEngine([[firstTokens(3, answer('One two three four')), fail()], answer('Hi.')])
  const client = await connect(await serve({ engine, response: { errorEvent: true } }))
  client.send(create('a'))
  client.send(create('b'))
  const failed = await client.answer()
  expect(failed.at(-1)?.type).toBe('response.failed')
  expect(failed.filter(({ type }) => type === 'error')).toEqual([])
  expect(textOf(await client.answer())).toBe('Hi.')
})

test('lanes are answered side by side, each event with its stream_id', async () => {
  let open = (): void => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const engine = scriptedEngine(async (prompt) => {
    if (prompt.messages.at(-1)?.content === 'slow') await gate
    return echo(prompt)
  })
  const client = await connect(await serve({ engine }))
  client.send(create('slow', { stream_id: 'one' }))
  client.send(create('behind', { stream_id: 'one' }))
  const begun = [await client.frame(), await client.frame()]
  client.send(create('fast', { stream_id: 'other' }))
  const fast = await client.answer()
  expect(new Set(fast.map(({ stream_id }) => stream_id))).toEqual(new Set(['other']))
  expect(textOf(fast)).toBe('1: fast')
  // It goes on from the other lane's response while that lane is busy.
  client.send(create('fork', { stream_id: 'third', previous_response_id: responseOf(fast).id }))
  expect(textOf(await client.answer())).toBe('2: fork')
  open()
  const slow = [...begun, ...(await client.answer())]
  expect(textOf(slow)).toBe('1: slow')
  expect(faultsIn(slow)).toEqual([])
  const behind = await client.answer()
  expect(textOf(behind)).toBe('1: behind')
  expect(new Set([...slow, ...behind].map(({ stream_id }) => stream_id))).toEqual(new Set(['one']))
})

test('events are in the wording of the server', async () => {
  const client = await connect(await serve({ engine: scriptedEngine(echo), dialect: openResponses }))
  client.send(create('Hi'))
  const types = new Set((await client.answer()).map(({ type }) => type))
  expect(types).toContain('response.reasoning.delta')
  expect(types).not.toContain('response.reasoning_text.delta')
})

test('the answer to a response that is deleted meanwhile ends as cancelled', async () => {
  const server = await serve({ engine: scriptedEngine([[firstTokens(3, answer('One two three four')), hang()]]) })
  const client = await connect(server)
  client.send(create('Count!'))
  const created = await client.frame()
  const { id } = created['response'] as { readonly id: string }
  expect((await fetch(`${server.url}/v1/responses/${id}`, { method: 'DELETE' })).status).toBe(200)
  expect((await client.answer()).at(-1)).toMatchObject({
    type: 'response.incomplete',
    response: { id, status: 'cancelled', error: null },
  })
})
