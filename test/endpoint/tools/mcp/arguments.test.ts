import { expect, test } from 'vitest'
import { callArguments } from '../../../../src/endpoint/tools/mcp/arguments.js'
import { context, inMemory, mcpCall, toolsOf } from './fixtures.js'

test.each([
  ['{"city":"Paris"}', { city: 'Paris' }],
  ['', {}],
  [' \n', {}],
  ['{"a":1}\n', { a: 1 }],
  ['null', undefined],
  ['[1]', undefined],
  ['"text"', undefined],
  ['{"a":', undefined],
])('the arguments %j are read as %j', (text, expected) => {
  expect(callArguments(mcpCall('any', text))).toEqual(expected)
})

test.each([
  ['123*456\n', { code: '123*456\n' }],
  ['{"code":"1"}', { code: '1' }],
  ['{"a": 1}', { code: '{"a": 1}' }],
  ['', { code: '' }],
])('a server instead of the code interpreter takes %j as code', (text, expected) => {
  expect(callArguments(mcpCall('python', text, 'code_interpreter'))).toEqual(expected)
})

test('arguments that are no object never reach the server, and the model is told', async () => {
  const { config, fixtures } = inMemory()
  const { tools } = toolsOf({ weather: config })
  expect(await tools.run(mcpCall('echo', '{"text":'), context())).toEqual({
    error: { code: -32602, message: 'The arguments are not a JSON object.' },
  })
  expect(fixtures).toEqual([])
})

test('arguments too deep to be sent are an error of this call, and of no other on the same connection', async () => {
  const { config, fixtures } = inMemory()
  const { tools } = toolsOf({ weather: config })
  const hanging = tools.run(mcpCall('hangs'), context())
  const text = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  expect(await tools.run(mcpCall('arguments', text), context())).toHaveProperty('error.code', -32602)
  expect(await tools.run(mcpCall('echo', { text: 'x' }), context())).toEqual({ output: 'x' })
  expect(fixtures).toHaveLength(1)
  await tools.close()
  expect(await hanging).toHaveProperty('error')
})
