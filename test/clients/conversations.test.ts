import { Agent, OpenAIConversationsSession, OpenAIProvider, Runner, tool } from '@openai/agents'
import OpenAI from 'openai'
import { ResponsesWS } from 'openai/resources/responses/ws'
import { expect, onTestFinished, test } from 'vitest'
import { type ResponsesServer, serveResponses } from '../../src/endpoint/server/node.js'
import { loadTokenTable } from '../../src/index.js'
import { answer, call, type Script, type ScriptedEngine, scriptedEngine, think } from '../../src/testing/index.js'

async function serve(script: Script): Promise<ResponsesServer & { readonly engine: ScriptedEngine; client: OpenAI }> {
  const engine = scriptedEngine(script)
  const server = await serveResponses({ engine, tokenTable: await loadTokenTable(), port: 0 })
  onTestFinished(() => server.close({ graceMs: 0 }))
  return { ...server, engine, client: new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 }) }
}

const weather = call('functions.get_weather', { city: 'Oslo' })
const TOOL = { type: 'function', name: 'get_weather', parameters: { type: 'object' }, strict: false } as const

/** The roles and types of a conversation's items, in order. */
async function typesOf({ conversations }: OpenAI, id: string): Promise<string[]> {
  const types: string[] = []
  for await (const item of conversations.items.list(id, { order: 'asc', limit: 2 }))
    types.push(item.type === 'message' ? item.role : item.type)
  return types
}

test('two turns of openai with a tool are one conversation, whole, streamed and over a WebSocket', async () => {
  const { client, engine } = await serve([
    [think('Hm.'), weather],
    [think('So.'), answer('It rains.')],
    [answer('Oslo.')],
  ])
  const { id: conversation } = await client.conversations.create({ metadata: { topic: 'weather' } })
  const tools = [TOOL]
  const input = 'The weather in Oslo?'
  const asked = await client.responses.create({ model: 'gpt-oss', input, tools, conversation })
  const made = asked.output.find((item) => item.type === 'function_call')
  const output = { type: 'function_call_output', call_id: made?.call_id ?? '', output: 'rain' } as const
  const stream = client.responses.stream({ model: 'gpt-oss', input: [output], tools, conversation })
  expect((await stream.finalResponse()).output_text).toBe('It rains.')
  const socket = new ResponsesWS(client)
  const ended = new Promise<unknown>((resolve, reject) => {
    socket.on('response.completed', ({ response }) => resolve(response.conversation))
    socket.on('error', reject)
  })
  socket.send({ type: 'response.create', model: 'gpt-oss', input: 'Where?', conversation })
  expect(await ended).toEqual({ id: conversation })
  socket.close()
  const turn = ['user', 'reasoning', 'function_call', 'function_call_output', 'reasoning', 'assistant']
  expect(await typesOf(client, conversation)).toEqual([...turn, 'user', 'assistant'])
  expect(engine.calls.at(-1)?.messages.map(({ content }) => content)).toContain('It rains.')
})

test('the session of @openai/agents holds two turns with a tool', async () => {
  const { client, engine } = await serve([
    [think('Hm.'), weather],
    [think('So.'), answer('It rains.')],
    [answer('In Oslo.')],
  ])
  const session = new OpenAIConversationsSession({ client: client as never })
  const getWeather = tool({
    name: 'get_weather',
    description: 'The weather.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as never,
    strict: false,
    execute: () => 'rain',
  })
  const agent = new Agent({ name: 'agent', model: 'gpt-oss', tools: [getWeather] })
  const runner = new Runner({
    modelProvider: new OpenAIProvider({ openAIClient: client as never, useResponses: true }),
    tracingDisabled: true,
  })
  expect((await runner.run(agent, 'The weather in Oslo?', { session })).finalOutput).toBe('It rains.')
  expect((await runner.run(agent, 'Where?', { session })).finalOutput).toBe('In Oslo.')
  const read = engine.calls.at(-1)?.messages.map(({ content }) => content)
  for (const text of ['The weather in Oslo?', 'rain', 'It rains.', 'Where?']) expect(read).toContain(text)
  const id = await session.getSessionId()
  const turn = ['user', 'reasoning', 'function_call', 'function_call_output', 'reasoning', 'assistant']
  expect(await typesOf(client, id)).toEqual([...turn, 'user', 'assistant'])
  expect(await session.popItem()).toMatchObject({ role: 'assistant' })
  expect(await session.getItems()).toHaveLength(7)
  await session.clearSession()
  await expect(client.conversations.retrieve(id)).rejects.toMatchObject({ status: 404 })
})
