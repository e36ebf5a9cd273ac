import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { urlCitations } from '../../src/core/citations/index.js'
import { readTokenFixture } from '../../src/engines/sources/replay.js'
import { loadTokenTable, type Response, type TokenChunk, Translator } from '../../src/index.js'
import type { ChunkPlan } from '../../src/judge/conformance/arbitraries/index.js'
import { chunkPlan, cutChunks, malformedTranscript, wellFormedTranscript } from '../support/arbitraries.js'
import {
  type AnyStream,
  isAnswerable,
  playedByEndpoint,
  responseTo,
  scenarioOf,
  shownBy,
  within,
} from './any-stream.js'
import { clients } from './clients.js'
import type { Client } from './play.js'
import type { Scenario } from './scenarios.js'
import { startServer, violationsOf } from './server.js'

const RUNS = Number(process.env['CLIENT_RUNS'] ?? 25)
/** A run of a binary costs as much as twenty of a library. */
const runsOf = (client: Client): number => Math.ceil(client.wording === undefined ? RUNS : RUNS / 8)

const tokenTable = await loadTokenTable()

const folder = new URL('../../fixtures/', import.meta.url)
const fixtures = readdirSync(folder).flatMap((file): [string, AnyStream][] => {
  const name = /^(.+)\.json$/.exec(file)?.[1]
  if (name === undefined) return []
  const { tokens, request = {}, setup, end } = readTokenFixture(readFileSync(new URL(file, folder), 'utf8'))
  const { citations, ...options } = setup ?? {}
  const chunks = tokens as readonly TokenChunk[]
  return [
    [
      name,
      { chunks, request, options: { ...options, ...(citations && { citations: urlCitations() }) }, end: end ?? {} },
    ],
  ]
})
/** Those whose calls an application of this client can answer. */
const fixturesOf = (client: Client): [string, AnyStream][] =>
  fixtures.filter(([, stream]) => isPlayable(scenarioOf(stream), translated(stream), client))

/** Any transcript. Calls of unknown hosted tools fail, because agents need a result. */
const generated: fc.Arbitrary<AnyStream> = fc
  .record({
    transcript: fc.oneof(wellFormedTranscript(), malformedTranscript()),
    reasoning: fc.constantFrom('raw' as const, 'summary' as const, 'hidden' as const),
  })
  .map(({ transcript: { chunks, request }, reasoning }) => ({
    chunks,
    request,
    options: { reasoning, policy: 'agents' as const, calls: 'whole' as const },
  }))

describe.for(clients.map((client) => [client.name, client] as const))('%s', ([, client]) => {
  test(`${client.name} shows exactly the streamed content of any transcript`, { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(generated, chunkPlan(), async (stream, plan) => {
        const scenario = scenarioOf({ ...stream, chunks: cutChunks(stream.chunks, plan) })
        fc.pre(isPlayable(scenario, translated(stream), client))
        await hold(scenario, client)
      }),
      { numRuns: runsOf(client) },
    )
  })

  test(`${client.name} shows exactly the endpoint's output for anything that a model writes`, {
    timeout: 300_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(generated, chunkPlan(), fc.integer({ min: 2, max: 30 }), async (stream, plan, place) => {
        const scenario = playedByEndpoint({ ...stream, chunks: cutWithin(stream.chunks, plan) }, place)
        const response = await responseTo(scenario)
        fc.pre(response !== undefined && isPlayable(scenario, response, client))
        await hold(scenario, client)
      }),
      { numRuns: runsOf(client) },
    )
  })

  test.for(fixturesOf(client))(
    `${client.name} shows exactly the streamed content of the fixture %s`,
    async ([, stream]) => {
      await hold(scenarioOf(stream), client)
    },
  )
})

/** The model's chunks in smaller ones; what the host says stays in one piece. */
function cutWithin(chunks: readonly TokenChunk[], plan: ChunkPlan): TokenChunk[] {
  return chunks.flatMap((chunk) => (typeof chunk === 'object' && 'host' in chunk ? [chunk] : cutChunks([chunk], plan)))
}

async function hold(given: Omit<Scenario, 'shows'>, client: Client): Promise<void> {
  const plain = { ...given, shows: {} as never }
  const scenario = client.wording?.(plain) ?? plain
  const server = await startServer({ plays: [scenario] })
  try {
    const played = await client.play(scenario, server.baseURL, {
      onText: () => {},
      signal: new AbortController().signal,
    })
    expect(shownBy(client, played), played.error).toEqual(within(server.exchanges, client))
    // The model causes what the judge only warns about, such as two reasoning messages in a row.
    const errors = violationsOf(server.exchanges, client.profile).filter(({ severity }) => severity === 'error')
    expect(errors).toEqual([])
  } finally {
    await server.close()
  }
}

/** The events of `translate` for a stream. */
function translated(stream: AnyStream): Response {
  const { tools } = scenarioOf(stream)
  const translator = new Translator({ ...stream.options, request: { tools: tools as never }, tokenTable })
  for (const chunk of stream.chunks) translator.push(chunk)
  translator.end(stream.end?.reason)
  return translator.response
}

/** Whether an application of this client can answer everything that is asked of it, within the client's limits. */
function isPlayable({ tools }: Pick<Scenario, 'tools'>, response: Response, client: Client): boolean {
  const has = (type: string): boolean => response.output.some((item) => item.type === type)
  const cannot = (what: string): boolean => client.limits.some((limit) => limit.what === what)
  if (has('custom_tool_call') && cannot('no custom tools')) return false
  const isHalf = ({ type, status }: { type: string; status?: string | null }): boolean =>
    (type === 'web_search_call' || type === 'code_interpreter_call') && status !== 'completed'
  if (response.output.some((item) => isHalf(item)) && cannot('throws at code without a result')) return false
  if (has('shell_call') && cannot('throws at shell calls')) return false
  return isAnswerable(response, tools)
}
