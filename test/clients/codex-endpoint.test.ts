import { expect, onTestFinished, test } from 'vitest'
import type { Dialect } from '../../src/dialects/index.js'
import { serveResponses } from '../../src/endpoint/server/node.js'
import { loadTokenTable, type ResponseStreamEvent } from '../../src/index.js'
import { checkEvents } from '../../src/judge/conformance/index.js'
import {
  answer,
  call,
  type Script,
  type ScriptedEngine,
  type ScriptedMessage,
  scriptedEngine,
  think,
} from '../../src/testing/index.js'
import { OWN_MCP_SERVER, playCodex } from './clients/codex.js'
import { PATCH, PATCHED_FILE, runTool } from './scenarios.js'

const toEnd = { onText: () => {}, signal: new AbortController().signal }

/** The endpoint, and what was streamed to Codex, by whatever transport. */
interface Served {
  readonly baseURL: string
  readonly engine: ScriptedEngine
  readonly streams: readonly ResponseStreamEvent[][]
  /** The methods of its requests. */
  readonly asked: readonly string[]
}

async function serve(script: Script): Promise<Served> {
  const engine = scriptedEngine(script)
  const streams: ResponseStreamEvent[][] = []
  const asked: string[] = []
  const server = await serveResponses({
    engine,
    tokenTable: await loadTokenTable(),
    port: 0,
    dialect: recorder(streams),
    authorize({ method, url }) {
      asked.push(`${method} ${new URL(url).pathname}`)
      return 'anybody'
    },
  })
  onTestFinished(() => server.close({ graceMs: 0 }))
  return { baseURL: `${server.url}/v1`, engine, streams, asked }
}

/** OpenAI's own wording, which notes the events of each stream. */
function recorder(streams: ResponseStreamEvent[][]): Dialect {
  return {
    name: 'recorder',
    encoder() {
      const events: ResponseStreamEvent[] = []
      streams.push(events)
      return (event) => {
        events.push(event)
        return event as never
      }
    },
    decoder: () => (event) => event as never,
    encodeResponse: (response) => response as never,
    decodeResponse: (response) => response as never,
  }
}

/** The ways in which Codex reaches the endpoint: as a provider that its user adds, or as OpenAI at another address. */
const PROVIDERS = {
  'a provider of its own, over HTTP': { name: 'local', socket: false },
  'a provider of its own, over a WebSocket': { name: 'local', socket: true },
  'a provider that is named OpenAI, over HTTP': { name: 'OpenAI', socket: false },
  'the built-in provider, over a WebSocket': undefined,
} as const

/**
 * By the name of the model Codex decides what it declares: its patch tool to those that it knows alone, and MCP servers
 * to all others. Those that it knows have to search for the tools of its MCP servers, by a tool of OpenAI's.
 */
const KNOWN = 'gpt-5.5:gpt-oss'
const OTHER = 'gpt-oss'

/** @param model - undefined: Codex's default */
function config(provider: keyof typeof PROVIDERS, baseURL: string, model: string | undefined, more = ''): string {
  const own = PROVIDERS[provider]
  const head = model === undefined ? more : `model = "${model}"\n${more}`
  if (own === undefined) return `${head}openai_base_url = ${JSON.stringify(baseURL)}\n`
  return `${head}model_provider = "local"
[model_providers.local]
name = ${JSON.stringify(own.name)}
base_url = ${JSON.stringify(baseURL)}
wire_api = "responses"
requires_openai_auth = false
supports_websockets = ${own.socket}
stream_max_retries = 0
request_max_retries = 0
`
}

/** The judge's findings in all streams. */
function faultsIn(streams: readonly (readonly ResponseStreamEvent[])[]): unknown[] {
  if (streams.length < 2) return ['Codex asked no second time']
  return streams.flatMap((events) => [...checkEvents(events), ...checkEvents(events, { profile: 'client:codex' })])
}

const providers = Object.keys(PROVIDERS) as (keyof typeof PROVIDERS)[]
const patch: ScriptedMessage = { ...call('functions.apply_patch', PATCH), contentType: 'code' }
const weather = call('functions.exec_command', { cmd: './get_weather Oslo' })
/** The same with Codex's default model, which has one tool: a script that runs the others. */
const weatherByScript = byScript(
  'const { output } = await tools.exec_command({ cmd: "./get_weather Oslo" }); text(output)',
)

function byScript(script: string): ScriptedMessage {
  return { ...call('functions.exec', script), contentType: 'code' }
}

/** The results that the model read for its calls, in order. */
const resultsIn = ({ engine }: Served): string[] =>
  (engine.calls.at(-1)?.messages ?? []).flatMap(({ role, content }) => (role === 'tool' ? [content] : []))

test.each(providers)('Codex calls the tool of its own MCP server, and runs a command, by %s', async (provider) => {
  const served = await serve([
    [think('I look it up.'), call('mcp__docs.lookup', { q: 'life' })],
    [think('And the weather.'), weather],
    [think('All is known.'), answer('It is 42, and it rains.')],
  ])
  const played = await playCodex(config(provider, served.baseURL, OTHER) + OWN_MCP_SERVER, toEnd)
  expect(played).toMatchObject({ text: ['It is 42, and it rains.'], ending: 'completed' })
  expect(resultsIn(served)).toEqual([
    expect.stringContaining('life is 42'),
    expect.stringContaining(runTool('get_weather', { city: 'Oslo' })),
  ])
  expect(faultsIn(served.streams)).toEqual([])
  const transport = provider.includes('HTTP') ? 'POST /v1/responses' : 'GET /v1/responses'
  expect(new Set(served.asked)).toEqual(new Set([transport]))
})

// For its newest models Codex sends no `tools`, but an item `additional_tools`, whose custom tool runs all others.
test.each(providers)(
  'Codex with its default model runs a command and a tool of its MCP server, by %s',
  async (provider) => {
    const script = `
    const { output } = await tools.exec_command({ cmd: './get_weather Oslo' })
    text(output)
    text(await tools.mcp__docs__lookup({ q: 'life' }))`
    const served = await serve([
      [think('I look it up.'), byScript(script)],
      [think('All is known.'), answer('It is 42, and it rains.')],
    ])
    const played = await playCodex(config(provider, served.baseURL, undefined) + OWN_MCP_SERVER, toEnd)
    expect(played).toMatchObject({ text: ['It is 42, and it rains.'], ending: 'completed' })
    expect(played.calls).toEqual([{ name: 'get_weather', arguments: { city: 'Oslo' } }])
    const results = expect.stringContaining(runTool('get_weather', { city: 'Oslo' }))
    expect(resultsIn(served)).toEqual([results])
    expect(resultsIn(served)).toEqual([expect.stringContaining('life is 42')])
    // Its instructions, and all its tools.
    const [first] = served.engine.calls
    expect(first?.messages[1]?.content).toMatch(
      /^# Instructions\n\nYou are Codex.+\ntype exec = .+\ntype spawn_agent = /s,
    )
    expect(faultsIn(served.streams)).toEqual([])
  },
)

test.each(providers)('Codex applies a patch by %s', async (provider) => {
  const served = await serve([
    [think('A typo.'), patch],
    [think('It is gone.'), answer('It is fixed.')],
  ])
  const played = await playCodex(config(provider, served.baseURL, KNOWN), toEnd)
  expect(played).toMatchObject({ text: ['It is fixed.'], ending: 'completed' })
  expect(played.calls).toEqual([{ name: 'apply_patch', arguments: PATCH }])
  expect(resultsIn(served)).toEqual([expect.stringContaining(PATCHED_FILE.name)])
  expect(faultsIn(served.streams)).toEqual([])
})

const models = [OTHER, undefined] as const

// Codex treats a provider that is named OpenAI as OpenAI: it has the server compact, and stores the sealed item.
test.each(
  providers.flatMap((provider) => models.map((model) => [model ?? 'its default model', provider, model] as const)),
)('Codex compacts its conversation with %s and continues, by %s', async (_, provider, model) => {
  const isRemote = provider.includes('OpenAI') || provider.includes('built-in')
  const { baseURL, engine, streams } = await serve([
    [think('The weather.'), model === undefined ? weatherByScript : weather],
    [think('I sum up.'), answer('The user asked for Oslo.')],
    [think('I know it.'), answer('It rains.')],
  ])
  // Its own instructions are longer: it compacts after the first answer, in the middle of the turn.
  const limit = 'model_auto_compact_token_limit = 7000\n'
  const played = await playCodex(config(provider, baseURL, model, limit), toEnd)
  expect(played).toMatchObject({ text: expect.arrayContaining(['It rains.']), ending: 'completed' })
  const compactions = streams.flatMap((events) =>
    events.filter((event) => event.type === 'response.output_item.done' && String(event.item.type) === 'compaction'),
  )
  expect(compactions).toHaveLength(isRemote ? 1 : 0)
  // The model continues from the summary alone, without the earlier messages.
  const { messages } = engine.calls.at(-1) ?? expect.unreachable()
  expect(messages.at(-1)).toMatchObject({ role: 'user', content: expect.stringContaining('asked for Oslo') })
  expect(messages.filter(({ role }) => role === 'tool' || role === 'assistant')).toEqual([])
  expect(faultsIn(streams)).toEqual([])
})

const overHttp = 'a provider of its own, over HTTP'
const overSocket = 'a provider of its own, over a WebSocket'

// What agents tell each other, Codex sends as items agent_message: the task to the agent, and its answer to the main thread.
test.each([
  ['gpt-oss', overHttp, OTHER],
  ['gpt-oss', overSocket, OTHER],
  ['its default model', overHttp, undefined],
] as const)('Codex with %s spawns an agent, waits for it, and answers, by %s', async (_, provider, model) => {
  const served = await serve(({ messages }) => {
    const isTold = (heading: string): boolean => messages.some(({ content }) => content.startsWith(heading))
    if (isTold('Message from /root to /root/weather:')) return [think('My task.'), answer('It rains in Oslo.')]
    if (isTold('Message from /root/weather to /root:')) return [think('I know it.'), answer('The agent sees rain.')]
    const isSpawned = messages.some(({ role }) => role === 'tool')
    if (isSpawned) return [think('I wait.'), call('collaboration.wait_agent', { timeout_ms: 60_000 })]
    const task = { task_name: 'weather', message: 'Find the weather of Oslo.' }
    return [think('An agent finds it.'), call('collaboration.spawn_agent', task)]
  })
  const played = await playCodex(`${config(provider, served.baseURL, model)}[features]\nmulti_agent_v2 = true\n`, toEnd)
  expect(played).toMatchObject({ text: ['The agent sees rain.'], ending: 'completed' })
  const { messages } = served.engine.calls.at(-1) ?? expect.unreachable()
  expect(messages.at(-1)).toMatchObject({ role: 'user', content: expect.stringContaining('It rains in Oslo.') })
  expect(faultsIn(served.streams)).toEqual([])
})
