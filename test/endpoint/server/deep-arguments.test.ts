import { expect, test } from 'vitest'
import { answer } from '../../../src/testing/index.js'
import { endpoint } from './endpoint.js'

const MESSAGES = { role: 'user', content: 'Go.' }
const TOOL = { name: 'f', input_schema: { type: 'object', properties: {} } }

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
const calling = (args: string): string =>
  `<|channel|>commentary to=functions.f <|constrain|>json<|message|>${args}<|call|>`

// At 50,000 levels, recursive functions overflow the stack, JSON.stringify among them.
test.each([
  ['an object', nested(80), JSON.parse(nested(80))],
  ['a text in an object where it is nested too deeply', nested(50_000), { input: nested(50_000) }],
])('the arguments of a call are %s for clients of Messages, who may send it back', async (_, written, input) => {
  const server = endpoint([calling(written), answer('Done.'), calling(written)])
  const asked = { model: 'gpt-oss', max_tokens: 1_000_000, tools: [TOOL] }
  const { status, body } = await server.ask('POST', '/messages', { ...asked, messages: [MESSAGES] })
  expect([status, body.stop_reason, body.content.at(-1).input]).toEqual([200, 'tool_use', input])
  const result = { type: 'tool_result', tool_use_id: body.content.at(-1).id, content: 'ok' }
  const messages = [MESSAGES, { role: 'assistant', content: body.content }, { role: 'user', content: [result] }]
  const next = await server.ask('POST', '/messages', { ...asked, messages })
  expect([next.status, next.body.content?.at(-1).text]).toEqual([200, 'Done.'])
  const init = { method: 'POST', body: JSON.stringify({ ...asked, messages: [MESSAGES], stream: true }) }
  const streamed = await (await server.send('/v1/messages', init)).text()
  expect(streamed).toContain('event: message_stop')
  expect(server.errors).toEqual([])
})
