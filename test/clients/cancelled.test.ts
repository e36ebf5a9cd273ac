import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import OpenAI from 'openai'
import { expect, onTestFinished, test } from 'vitest'
import { serveResponses } from '../../src/endpoint/server/node.js'
import { loadTokenTable, type ResponseStreamEvent, Translator } from '../../src/index.js'
import { MODELS } from '../../src/judge/conformance/clients/index.js'
import { checkEvents } from '../../src/judge/conformance/index.js'
import { answer, firstTokens, hang, scriptedEngine } from '../../src/testing/index.js'
import { encodeHarmony } from '../support/tokens.js'
import { codex, codexConfig, playCodex } from './clients/codex.js'
import { clients } from './clients.js'
import { bodyOf } from './judge/replay.js'
import { replayers } from './judge/replayers.js'
import { API_KEY, type Client, type Played } from './play.js'
import { type Scenario, scenarios } from './scenarios.js'

const tokenTable = await loadTokenTable()
const TOOLS = scenarios.find(({ name }) => name === 'two calls') as Scenario
const HALF = '<|channel|>final<|message|>It will be'
const CALL =
  '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city":"Oslo"}<|call|><|start|>assistant'

/** The events that could end a cancelled response: three that the SDKs know, and one of its own. */
const ENDINGS = ['failed', 'incomplete', 'completed', 'cancelled'] as const
type Ending = (typeof ENDINGS)[number]

/** The documentation's table: what each client shows, by the event that ends the stream. */
const table = readFileSync(new URL('../../docs/endings.md', import.meta.url), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim())
    const named = clients.filter((client) => cells[1] === nameOf(client))
    return named.flatMap((client) => ENDINGS.map((ending, at) => [client.name, ending, cells[at + 2], client] as const))
  })

/** Its name without a version. */
function nameOf({ name }: Client): string {
  return name.replace(/ \d+\.\d+/, '')
}

test('the table of what clients show of a cancelled response has every client', () => {
  expect(new Set(table.map(([name]) => name))).toEqual(new Set(clients.map(({ name }) => name)))
})

test.each(table)(
  '%s shows a cancelled response that ends with response.%s: %s',
  { timeout: 120_000 },
  async (...row) => {
    const [, ending, cell, client] = row
    const half = await played(client, ending, HALF)
    const call = await played(client, ending, CALL)
    const goesOn = half.requests === 1 && call.requests > 1
    expect(`${wordsFor(half)}${goesOn ? ', and goes on' : ''}`).toBe(cell)
  },
)

/** What a client shows of an answer that is half there. */
function wordsFor({ requests, ending, error }: Awaited<ReturnType<typeof played>>): string {
  if (requests > 1) return 'tries again'
  // LangChain has no status, and `create()` no last event.
  if (ending === undefined || ending === 'aborted') return 'no end'
  return error === undefined ? ending : 'an error'
}

/** Plays a response that is cancelled after a text, and answers what the client asks afterwards. */
async function played(client: Client, ending: Ending, text: string): Promise<Partial<Played> & { requests: number }> {
  const turn = { tokens: [text], end: {} } as const
  const plain = { ...TOOLS, turns: [turn] } satisfies Scenario
  const scenario = client.wording?.(plain) ?? plain
  const said = String(scenario.turns[0]?.tokens[0])
  const server = await startServer((tools, count) =>
    count === 0 ? cancelled(said, ending, tools) : eventsOf('<|channel|>final<|message|>Well.<|return|>', tools),
  )
  const toEnd = { onText: () => {}, signal: new AbortController().signal }
  const run =
    client === codex ? playCodex(configFor(server.baseURL), toEnd) : client.play(scenario, server.baseURL, toEnd)
  return { ...(await run), requests: server.count() }
}

function cancelled(text: string, ending: Ending, tools: readonly object[]): object[] {
  const translator = new Translator({ request: { model: 'gpt-oss', tools: tools as never }, tokenTable })
  const events: object[] = [...translator.push(encodeHarmony(text)), ...translator.cancel()]
  return [...events.slice(0, -1), { ...events.at(-1), type: `response.${ending}` }]
}

function eventsOf(text: string, tools: readonly object[]): ResponseStreamEvent[] {
  const translator = new Translator({ request: { model: 'gpt-oss', tools: tools as never }, tokenTable })
  return [...translator.push(encodeHarmony(text)), ...translator.end()]
}

/** A server that streams given events. */
async function startServer(
  eventsFor: (tools: readonly object[], count: number) => readonly object[],
): Promise<{ readonly baseURL: string; count(): number }> {
  let count = 0
  const server = createServer(async (request, response) => {
    const body = await text(request)
    if (request.url?.endsWith('/responses') !== true) return response.writeHead(404).end('{}')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    return response.end(bodyOf(eventsFor(JSON.parse(body).tools ?? [], count++)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { baseURL: `http://127.0.0.1:${port}/v1`, count: () => count }
}

/** It tries a stream that broke off once more. */
const configFor = (baseURL: string): string => codexConfig(baseURL, { stream_max_retries: 1 })

test.each(replayers.map((replayer) => [replayer.client, replayer] as const))(
  'the judge says nothing against a cancelled stream for %s, and reads its end as the real one does',
  { timeout: 120_000 },
  async (client, replayer) => {
    onTestFinished(() => replayer.close?.())
    const events = JSON.parse(JSON.stringify(cancelled(HALF, 'incomplete', [])))
    expect((await replayer.replay(bodyOf(events))).ending).toBe(MODELS[client].reads.cancelled)
    expect(checkEvents(events, { profile: `client:${client}` })).toEqual([])
  },
)

test('the SDK sees the same cancelled response in its stream, in a resumed one, and when it retrieves it', async () => {
  const engine = scriptedEngine(() => [firstTokens(8, answer('It will be sunny.')), hang()])
  const server = await serveResponses({ engine, tokenTable, port: 0 })
  onTestFinished(() => server.close({ graceMs: 0 }))
  const { responses } = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: API_KEY, maxRetries: 0 })
  const asked = { model: 'gpt-oss', input: 'Hello', background: true, stream: true } as const
  let id = ''
  let last: OpenAI.Responses.ResponseStreamEvent | undefined
  for await (const event of await responses.create(asked)) {
    if (event.type === 'response.created') id = event.response.id
    if (event.type === 'response.output_text.delta') await responses.cancel(id)
    last = event
  }
  const kept = await responses.retrieve(id)
  expect(kept).toMatchObject({ status: 'cancelled', error: null, incomplete_details: null })
  expect(last).toMatchObject({ type: 'response.incomplete', response: JSON.parse(JSON.stringify(kept, withoutText)) })
  const resumed = responses.stream({ response_id: id, starting_after: 2 } as never)
  expect((await resumed.finalResponse()).status).toBe('cancelled')
})

/** Leaves out what the SDK adds to a response that it retrieves. */
const withoutText = (key: string, value: unknown): unknown => (key === 'output_text' ? undefined : value)
