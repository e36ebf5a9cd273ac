import OpenAI from 'openai'
import { ResponsesWebSocketSession } from 'openai/lib/responses/responses-websocket-session'
import { ResponsesWS } from 'openai/resources/responses/ws'
import { expect, onTestFinished, test } from 'vitest'
import type { ResponsesServer } from '../../../src/endpoint/server/node.js'
import { answer, call, fail, firstTokens, scriptedEngine, think } from '../../../src/testing/index.js'
import { echo, serve } from '../../endpoint/server/web-socket/sockets.js'

const limits = { maxLanes: 8, maxBufferedEvents: 10_000, maxBufferedBytes: 10_000_000 }

/** The SDK's own session, which puts the responses of each lane together. */
async function openSession({ url }: ResponsesServer): Promise<ResponsesWebSocketSession> {
  const socket = new ResponsesWS(new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none' }))
  // Without a listener, the SDK rejects into nothing.
  socket.on('error', () => {})
  onTestFinished(() => socket.close())
  await new Promise((resolve) => socket.socket.once('open', resolve))
  return new ResponsesWebSocketSession(socket, limits)
}

test('the SDK continues from a response that is not stored', async () => {
  const session = await openSession(await serve({ engine: scriptedEngine(echo) }))
  const lane = session.lane()
  lane.create({ model: 'gpt-oss', input: 'a', store: false })
  const first = await lane.finalResponse()
  lane.create({ model: 'gpt-oss', input: 'b', store: false, previous_response_id: first.id })
  const second = await lane.finalResponse()
  expect([first.output_text, second.output_text]).toEqual(['1: a', '2: b'])
})

test('the SDK runs lanes side by side, and forks one from another', async () => {
  let open = (): void => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const engine = scriptedEngine(async (prompt) => {
    if (prompt.messages.at(-1)?.content === 'slow') await gate
    return echo(prompt)
  })
  const session = await openSession(await serve({ engine }))
  const [slow, fast, fork] = [session.lane(), session.lane('fast'), session.lane('fork')]
  slow.create({ model: 'gpt-oss', input: 'slow', store: false })
  fast.create({ model: 'gpt-oss', input: 'fast', store: false })
  const { id } = await fast.finalResponse()
  fork.create({ model: 'gpt-oss', input: 'fork', store: false, previous_response_id: id })
  expect((await fork.finalResponse()).output_text).toBe('2: fork')
  open()
  expect((await slow.finalResponse()).output_text).toBe('1: slow')
})

test('the SDK sends the result of a call, and gets the answer', async () => {
  const engine = scriptedEngine([[think('Hm.'), call('functions.weather', { city: 'Oslo' })], answer('Rain.')])
  const lane = (await openSession(await serve({ engine }))).lane()
  const tools = [{ type: 'function' as const, name: 'weather', parameters: { type: 'object' }, strict: false }]
  lane.create({ model: 'gpt-oss', input: 'Weather?', store: false, tools })
  const first = await lane.finalResponse()
  const asked = first.output.at(-1)
  if (asked?.type !== 'function_call') return expect.unreachable()
  const result = { type: 'function_call_output' as const, call_id: asked.call_id, output: 'Rain' }
  lane.create({ model: 'gpt-oss', store: false, tools, previous_response_id: first.id, input: [result] })
  expect((await lane.finalResponse()).output_text).toBe('Rain.')
})

test('the SDK reads a refusal as the error of its lane, and continues', async () => {
  const session = await openSession(await serve({ engine: scriptedEngine(echo) }))
  const lane = session.lane('one')
  lane.create({ model: 'gpt-oss', input: 'a', previous_response_id: 'resp_none' })
  await expect(lane.finalResponse()).rejects.toMatchObject({
    error: { error: { code: 'previous_response_not_found' } },
  })
  lane.create({ model: 'gpt-oss', input: 'b' })
  expect((await lane.finalResponse()).output_text).toBe('1: b')
})

test('the SDK is not a turn behind after a failure', async () => {
  const engine = scriptedEngine([[firstTokens(3, answer('One two three')), fail()], answer('Hi.')])
  const lane = (await openSession(await serve({ engine }))).lane()
  lane.create({ model: 'gpt-oss', input: 'a' })
  expect((await lane.finalResponse()).status).toBe('failed')
  lane.create({ model: 'gpt-oss', input: 'b' })
  expect((await lane.finalResponse()).output_text).toBe('Hi.')
})
