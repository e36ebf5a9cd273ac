import { expect, test } from 'vitest'
import { answer, call, think } from '../../../src/testing/index.js'
import { endpoint } from './endpoint.js'

const echo = endpoint(({ messages }) => [think('Hm.'), answer(`You said ${messages.at(-1)?.content}`)])
const { client } = echo

test('a response of the SDK has its output, its usage and its request', async () => {
  const response = await client().responses.create({ model: 'gpt-oss', input: 'Hi', metadata: { a: 'b' } })
  expect(response).toMatchObject({ status: 'completed', model: 'gpt-oss', store: true, metadata: { a: 'b' } })
  expect(response.output_text).toBe('You said Hi')
  expect(response.usage?.output_tokens).toBeGreaterThan(5)
})

test('the stream of the SDK ends with the response that can be retrieved', async () => {
  const stream = client().responses.stream({ model: 'gpt-oss', input: 'Hi' })
  const response = await stream.finalResponse()
  const { output_text: _, ...kept } = await client().responses.retrieve(response.id)
  expect(response).toMatchObject(kept as object)
})

test('every stream is one that the judge has nothing against', async () => {
  const events = await echo.stream('/responses', { input: 'Hi' })
  expect(events.at(0)?.type).toBe('response.created')
  expect(events.at(-1)?.type).toBe('response.completed')
})

test('store: false keeps nothing: neither the response nor its items nor its stream', async () => {
  const { body } = await echo.create({ input: 'Hi', store: false })
  expect(body).toMatchObject({ status: 'completed', store: false })
  const id: string = body.id
  const found = await echo.ask('GET', `/responses/${id}`)
  expect([found.status, found.body.error.type]).toEqual([404, 'invalid_request_error'])
  expect((await echo.ask('GET', `/responses/${id}?stream=true`)).status).toBe(404)
  expect((await echo.ask('GET', `/responses/${id}/input_items`)).status).toBe(404)
  expect((await echo.ask('DELETE', `/responses/${id}`)).status).toBe(404)
  const reference = [{ type: 'item_reference', id: body.output[1].id }]
  expect((await echo.create({ input: reference })).status).toBe(404)
  const next = await echo.create({ input: 'More', previous_response_id: id })
  expect([next.status, next.body.error.code]).toEqual([400, 'previous_response_not_found'])
})

test('a deleted response is gone', async () => {
  const { id } = await client().responses.create({ model: 'gpt-oss', input: 'Hi' })
  expect((await echo.ask('DELETE', `/responses/${id}`)).body).toEqual({ id, object: 'response', deleted: true })
  expect((await echo.ask('GET', `/responses/${id}`)).status).toBe(404)
  expect((await echo.ask('DELETE', `/responses/${id}`)).status).toBe(404)
})

test('a request without a model is for the first one', async () => {
  const { body } = await echo.ask('POST', '/responses', { input: 'Hi' })
  expect(body).toMatchObject({ model: 'gpt-oss', status: 'completed' })
})

test('a model that there is not is 404, where the host says which there are', async () => {
  const { engine } = echo
  const choosy = endpoint(engine, { engine: (model) => (model === 'gpt-oss' ? engine : undefined) })
  const { status, body } = await choosy.create({ input: 'Hi', model: 'gpt-9' })
  expect([status, body.error.code, body.error.type]).toEqual([404, 'model_not_found', 'invalid_request_error'])
})

test('generate: false stores its input, for a later request to continue, and asks no model', async () => {
  const { engine, create } = endpoint([answer('Hello.')])
  const warmed = await create({ input: 'My name is Ann.', generate: false })
  expect([warmed.status, warmed.body.output, engine.calls.length]).toEqual([200, [], 0])
  const next = await create({ input: 'What is my name?', previous_response_id: warmed.body.id })
  expect(next.body.status).toBe('completed')
  expect(engine.calls[0]?.messages.map(({ content }) => content)).toContain('My name is Ann.')
})

test("a function call is the client's to answer, with the next request", async () => {
  const { create } = endpoint([call('functions.weather', { city: 'Rome' }), answer('Sunny.')])
  const tools = [{ type: 'function', name: 'weather', parameters: {}, strict: false }]
  const first = await create({ input: 'Weather?', tools })
  const called = first.body.output.at(-1)
  expect(called).toMatchObject({ type: 'function_call', name: 'weather', status: 'completed' })
  const output = { type: 'function_call_output', call_id: called.call_id, output: '22 degrees' }
  const second = await create({ input: [output], tools, previous_response_id: first.body.id })
  expect(second.body.output[0].content[0].text).toBe('Sunny.')
})

test('the trace context of a request goes to the engine, and nothing that only looks like one', async () => {
  const { engine, create } = endpoint(() => answer('Hi'))
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
  await create({ input: 'Hi' }, { traceparent, tracestate: 'x=1' })
  await create({ input: 'Hi' }, { traceparent: `${traceparent}\t-evil` })
  expect(engine.calls.map(({ options }) => options.trace)).toEqual([{ traceparent, tracestate: 'x=1' }, undefined])
})

test('stop strings and a seed of a Responses request are followed, over the SDK and in the background, too', async () => {
  const served = endpoint(() => answer('I think.\nObservation: 5'))
  const asked = { model: 'gpt-oss', input: 'Hi', stop: 'Observation:', seed: 7 }
  const response = await served.client().responses.create(asked as never)
  expect(response).toMatchObject({ status: 'completed', output_text: 'I think.\n' })
  const { body } = await served.create({ ...asked, background: true })
  const events = await served.stream(`/responses/${body.id}?stream=true`)
  expect(events.at(-1)?.response.output.at(-1)).toMatchObject({ content: [{ text: 'I think.\n' }] })
  expect(served.engine.calls.map(({ options }) => options.sampling?.seed)).toEqual([7, 7])
})
