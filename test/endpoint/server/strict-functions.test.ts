import { expect, test } from 'vitest'
import { call, scriptedEngine } from '../../../src/testing/index.js'
import { endpoint, tokenTable } from './endpoint.js'

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const turns = [call('functions.weather', { town: 'Rome' })]

test('a function without strict is held over Responses, kept as strict, and free over Chat Completions', async () => {
  const { create, ask } = endpoint(turns)
  const { body } = await create({ input: 'Hi', tools: [{ type: 'function', name: 'weather', parameters }] })
  expect(JSON.parse(body.output[0].arguments)).toHaveProperty('city')
  expect(body.tools).toMatchObject([{ name: 'weather', strict: true }])
  expect((await ask('GET', `/responses/${body.id}`)).body.tools).toEqual(body.tools)
  const chat = await endpoint(turns)
    .client()
    .chat.completions.create({
      model: 'gpt-oss',
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [{ type: 'function', function: { name: 'weather', parameters } }],
    })
  expect(chat.choices[0]?.message.tool_calls).toMatchObject([{ function: { arguments: '{"town":"Rome"}' } }])
})

test('a stream says from its first event on whether a function is strict', async () => {
  const tools = [{ type: 'function', name: 'weather', parameters }]
  const held = await endpoint(turns).stream('/responses', { model: 'gpt-oss', input: 'Hi', tools })
  expect(held[0]?.response.tools).toMatchObject([{ strict: true }])
  const engine = scriptedEngine(turns, { tokenTable, constraints: [] })
  const free = await endpoint(engine).stream('/responses', { model: 'gpt-oss', input: 'Hi', tools })
  expect(free[0]?.response.tools).toMatchObject([{ strict: false }])
  expect(free.at(-1)?.response).toMatchObject({
    tools: [{ strict: false }],
    output: [{ arguments: '{"town":"Rome"}' }],
  })
})

test('a schema that cannot be held is refused only where the request says that it is strict', async () => {
  const { create } = endpoint(turns, { response: { onUnsupportedConstraint: 'refuse' } })
  const tool = { type: 'function', name: 'weather', parameters: { uniqueItems: true } }
  const strict = await create({ input: 'Hi', tools: [{ ...tool, strict: true }] })
  expect([strict.status, strict.body.error.code]).toEqual([400, 'invalid_function_parameters'])
  const relaxed = await create({ input: 'Hi', tools: [tool] })
  expect(relaxed.body).toMatchObject({ status: 'completed', tools: [{ strict: true }] })
})
