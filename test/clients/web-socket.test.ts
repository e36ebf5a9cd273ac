import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { type ResponsesServer, serveResponses } from '../../src/endpoint/server/node.js'
import { loadTokenTable } from '../../src/index.js'
import { answer, call, fail, type Script, type ScriptedEngine, scriptedEngine, think } from '../../src/testing/index.js'
import { namedBlock } from '../docs/pages.js'
import { playCodex, playOverWebSocket } from './clients/codex.js'
import { WEATHER } from './scenarios.js'

const toEnd = { onText: () => {}, signal: new AbortController().signal }

/** The endpoint, and the methods of its requests: of a socket, that of its upgrade. */
interface Served extends ResponsesServer {
  readonly engine: ScriptedEngine
  readonly asked: readonly string[]
}

async function serve(script: Script): Promise<Served> {
  const asked: string[] = []
  const sockets = new Set<string>()
  const engine = scriptedEngine(script)
  const server = await serveResponses({
    engine,
    tokenTable: await loadTokenTable(),
    port: 0,
    onError: () => {},
    authorize({ method, url, headers }) {
      // Asked again at each request of a socket, which its handshake's key tells from others.
      const socket = headers.get('sec-websocket-key')
      if (socket !== null && sockets.has(socket)) return 'anybody'
      if (socket !== null) sockets.add(socket)
      asked.push(`${method} ${new URL(url).pathname} ${headers.get('upgrade') ?? ''}`.trim())
      return 'anybody'
    },
  })
  onTestFinished(() => server.close({ graceMs: 0 }))
  return { ...server, engine, asked }
}

const weather = call('functions.exec_command', { cmd: './get_weather Oslo' })

test('Codex uses a WebSocket with the provider of docs/web-socket.md', async () => {
  const { url, asked } = await serve([answer('Hi.')])
  const { code } = namedBlock('docs/web-socket.md', 'config.toml')
  const played = await playCodex(code.replace('http://127.0.0.1:8000/v1', `${url}/v1`), toEnd)
  expect(played).toMatchObject({ text: ['Hi.'], ending: 'completed' })
  expect(asked).toEqual(['GET /v1/responses websocket'])
})

test.each(['built-in', 'custom'] as const)(
  'Codex runs its commands over one WebSocket with the %s provider',
  async (provider) => {
    const { url, engine, asked } = await serve([
      [think('Hm.'), weather],
      [think('So.'), answer('It rains.')],
    ])
    const played = await playOverWebSocket(provider, `${url}/v1`, toEnd)
    expect(played).toMatchObject({ text: ['It rains.'], ending: 'completed' })
    expect(played.calls).toEqual([{ name: 'get_weather', arguments: { city: 'Oslo' } }])
    expect(asked).toEqual(['GET /v1/responses websocket'])
    // Codex prepared the first request, and sent the next one with previous_response_id: each message is in the prompt
    // once.
    const { messages } = engine.calls.at(-1) ?? expect.unreachable()
    expect(messages.filter(({ content }) => content === 'Go on.')).toHaveLength(1)
    expect(messages.at(-1)?.content).toContain(WEATHER['Oslo'])
  },
)

test('Codex asks once more after a failure of the engine, and is not a turn behind', async () => {
  const { url } = await serve([[think('Hm.'), fail()], [think('Hm.'), weather], answer('It rains.')])
  const played = await playOverWebSocket('custom', `${url}/v1`, toEnd)
  expect(played).toMatchObject({ text: ['It rains.'], ending: 'completed' })
  expect(played.calls).toHaveLength(1)
})

test('the Agents SDK runs its tools over one WebSocket', async () => {
  const { url, asked } = await serve([[think('Hm.'), call('functions.weather', { city: 'Oslo' })], answer('It rains.')])
  // Node 20 has none of its own.
  const known = globalThis.WebSocket
  globalThis.WebSocket = WebSocket as never
  onTestFinished(() => {
    globalThis.WebSocket = known
  })
  const modelProvider = new OpenAIProvider({
    baseURL: `${url}/v1`,
    apiKey: 'none',
    useResponses: true,
    useResponsesWebSocket: true,
  })
  onTestFinished(() => modelProvider.close())
  const calls: unknown[] = []
  const agent = new Agent({
    name: 'agent',
    model: 'gpt-oss',
    tools: [
      tool({
        name: 'weather',
        description: 'The weather',
        parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
        strict: false,
        execute: (input) => {
          calls.push(input)
          return 'Rain'
        },
      }),
    ],
  })
  const run = await new Runner({ modelProvider, tracingDisabled: true }).run(agent, 'Weather?', { stream: true })
  await run.completed
  expect(run.finalOutput).toBe('It rains.')
  expect(calls).toEqual([{ city: 'Oslo' }])
  expect(asked).toEqual(['GET /v1/responses websocket'])
})
