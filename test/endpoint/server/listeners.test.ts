import { expect, test } from 'vitest'
import type { Tool } from '../../../src/endpoint/tools/tool.js'
import { answer, call, scriptedEngine } from '../../../src/testing/index.js'
import { listenerWarnings } from '../../support/listener-warnings.js'
import { endpoint, heldEngine, until } from './endpoint.js'
import { connect, create, serve } from './web-socket/sockets.js'

/** More than the ten listeners of one kind that Node takes without a warning. */
const MANY = 31

/** Sends that many requests over one socket, each on a separate lane, and leaves when all of them are in the server. */
async function manyLanes(concurrency: number): Promise<void> {
  const server = await serve({ engine: heldEngine(), keepAliveMs: 0, limits: { concurrency } })
  const client = await connect(server)
  const load = (): number => server.service.load.running + server.service.load.waiting
  for (let lane = 0; lane < MANY; lane++) client.send(create('Hi', { stream_id: `lane_${lane}` }))
  await until(() => load() === MANY)
  client.socket.terminate()
  await until(() => load() === 0)
}

test('many requests of one socket are answered at once, and stopped when it closes, without a warning of Node', async () => {
  expect(await listenerWarnings(() => manyLanes(MANY))).toEqual([])
})

test('many requests of one socket wait for their turn without a warning of Node', async () => {
  expect(await listenerWarnings(() => manyLanes(1))).toEqual([])
})

/** Listens to its signal, as tools do that can be stopped. */
async function whileListening<Result>(signal: AbortSignal, result: Result): Promise<Result> {
  const stop = (): void => {}
  signal.addEventListener('abort', stop)
  await new Promise((resolve) => setImmediate(resolve))
  signal.removeEventListener('abort', stop)
  return result
}

test('many calls of one turn run side by side without a warning of Node', async () => {
  const labels = ['docs']
  const tool: Tool = {
    answers: ({ type }) => type === 'mcp_call',
    run: (_, { signal }) => whileListening(signal, { output: 'found' }),
    listings: (_, { signal }) =>
      whileListening(
        signal,
        labels.map((serverLabel) => ({ serverLabel, tools: [{ name: 'search', inputSchema: { type: 'object' } }] })),
      ),
  }
  const calls = Array.from({ length: MANY }, (_, at) => call('docs.search', { at }))
  const engine = scriptedEngine(({ messages }) =>
    messages.some(({ role }) => role === 'tool') ? answer('Done.') : calls,
  )
  const { create } = endpoint(engine, { tools: Array.from({ length: MANY }, () => tool) })
  const tools = [{ type: 'mcp', server_label: 'docs', server_url: 'https://docs.example', require_approval: 'never' }]
  const warnings = await listenerWarnings(async () => {
    const { body } = await create({ input: 'Hi', tools })
    const found = body.output.filter(({ output }: { output?: string }) => output === 'found')
    expect(found).toHaveLength(MANY)
  })
  expect(warnings).toEqual([])
})

test('a call that runs is told when its client leaves, beside others that have ended', async () => {
  const stopped: string[] = []
  const tool: Tool = {
    answers: ({ type }) => type === 'mcp_call',
    run: (_, { signal }) =>
      new Promise((resolve) => {
        if (_.type === 'mcp_call' && _.arguments.includes('quick')) return resolve({ output: 'quick' })
        signal.addEventListener('abort', () => {
          stopped.push(String(signal.aborted))
          resolve({ output: 'too late' })
        })
      }),
    listings: async () => [{ serverLabel: 'docs', tools: [{ name: 'search', inputSchema: { type: 'object' } }] }],
  }
  const engine = scriptedEngine(() => [call('docs.search', { q: 'quick' }), call('docs.search', { q: 'slow' })])
  const { send, service } = endpoint(engine, { tools: [tool] })
  const tools = [{ type: 'mcp', server_label: 'docs', server_url: 'https://docs.example', require_approval: 'never' }]
  const client = new AbortController()
  const body = JSON.stringify({ model: 'gpt-oss', input: 'Hi', tools })
  const asked = send('/v1/responses', { method: 'POST', body, signal: client.signal }).catch(() => {})
  await until(() => engine.calls.length === 1)
  await new Promise((resolve) => setImmediate(resolve))
  client.abort()
  await asked
  await until(() => service.load.running === 0)
  expect(stopped).toEqual(['true'])
})
