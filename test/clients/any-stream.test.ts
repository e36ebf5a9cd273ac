import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { urlCitations } from '../../src/citations.js'
import { loadTokenTable, type TokenChunk, Translator } from '../../src/index.js'
import { readTokenFixture } from '../../src/sources/replay.js'
import { chunkPlan, cutChunks, malformedTranscript, wellFormedTranscript } from '../support/arbitraries.js'
import { type AnyStream, isAnswerable, scenarioOf, shownBy, within } from './any-stream.js'
import { clients } from './clients.js'
import type { Client } from './play.js'
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
  fixtures.filter(([, stream]) => isPlayable(stream, client))

/** Any transcript, in any chunks. Unknown tools fail if the host would run them, because agents need a result. */
const generated: fc.Arbitrary<AnyStream> = fc
  .oneof(
    wellFormedTranscript().map(({ chunks, request }) => ({ chunks, request })),
    malformedTranscript().map(({ chunks, request }) => ({ chunks, request })),
  )
  .chain(({ chunks, request }) =>
    fc
      .record({ plan: chunkPlan(), reasoning: fc.constantFrom('raw' as const, 'summary' as const, 'hidden' as const) })
      .map(({ plan, reasoning }) => ({
        chunks: cutChunks(chunks, plan),
        request,
        options: { reasoning, policy: 'agents' as const, calls: 'whole' as const },
      })),
  )

describe.for(clients.map((client) => [client.name, client] as const))('%s', ([, client]) => {
  test(`${client.name} shows exactly what was streamed of any transcript`, { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(generated, async (stream) => {
        fc.pre(isPlayable(stream, client))
        await hold(stream, client)
      }),
      { numRuns: runsOf(client) },
    )
  })

  test.for(fixturesOf(client))(
    `${client.name} shows exactly what was streamed of the fixture %s`,
    async ([, stream]) => {
      await hold(stream, client)
    },
  )
})

async function hold(stream: AnyStream, client: Client): Promise<void> {
  const plain = { ...scenarioOf(stream), shows: {} as never }
  const scenario = client.wording?.(plain) ?? plain
  const server = await startServer({ plays: [scenario] })
  try {
    const played = await client.play(scenario, server.baseURL, {
      onText: () => {},
      signal: new AbortController().signal,
    })
    expect(shownBy(client, played), played.error).toEqual(within(server.exchanges, client))
    // What the judge only warns of (two reasoning messages in a row, say) is the model's doing.
    const errors = violationsOf(server.exchanges, client.profile).filter(({ severity }) => severity === 'error')
    expect(errors).toEqual([])
  } finally {
    await server.close()
  }
}

/** Whether an application of this client can answer everything that is asked of it, within the client's limits. */
function isPlayable(stream: AnyStream, client: Client): boolean {
  const { tools } = scenarioOf(stream)
  const translator = new Translator({ ...stream.options, request: { tools: tools as never }, tokenTable })
  for (const chunk of stream.chunks) translator.push(chunk)
  translator.end(stream.end?.reason)
  const { response } = translator
  const has = (type: string): boolean => response.output.some((item) => item.type === type)
  const cannot = (what: string): boolean => client.limits.some((limit) => limit.what === what)
  if (has('custom_tool_call') && cannot('no custom tools')) return false
  const isHalf = ({ type, status }: { type: string; status?: string | null }): boolean =>
    (type === 'web_search_call' || type === 'code_interpreter_call') && status !== 'completed'
  if (response.output.some((item) => isHalf(item)) && cannot('throws at a search without a result')) return false
  if (has('shell_call') && cannot('throws at shell calls')) return false
  return isAnswerable(response, tools)
}
