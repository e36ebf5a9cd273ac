import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { expect, test } from 'vitest'
import { listenerWarnings } from '../../../support/listener-warnings.js'
import { fixtureServer } from './fixture-server.mjs'
import { context, declaring, inMemory, mcpCall, stdio, toolsOf } from './fixtures.js'

/** More than the ten listeners of one kind that Node takes without a warning. */
const MANY = 31

test('many calls wait for a server of stdio that is behind with reading, without a warning of Node', async () => {
  const { tools } = toolsOf({ weather: stdio() })
  // Each is more than a pipe takes at once.
  const said = 'x'.repeat(100_000)
  const warnings = await listenerWarnings(async () => {
    const results = await Promise.all(
      Array.from({ length: MANY }, (_, at) => tools.run(mcpCall('echo', { text: `${at} ${said}` }), context())),
    )
    expect(results.map(({ output }) => Number.parseInt(`${output}`, 10))).toEqual(results.map((_, at) => at))
  })
  expect(warnings).toEqual([])
})

test('many servers of one request list their tools without a warning of Node', async () => {
  const labels = Array.from({ length: MANY }, (_, at) => `server ${at}`)
  const { tools } = toolsOf(Object.fromEntries(labels.map((label) => [label, inMemory().config])))
  const warnings = await listenerWarnings(async () => {
    const listings = await tools.listings(declaring(...labels), { signal: new AbortController().signal })
    expect(listings.map(({ serverLabel }) => serverLabel)).toEqual(labels)
  })
  expect(warnings).toEqual([])
})

test('a server of many pages lists its tools by version 1 of the SDK without a warning of Node', async () => {
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await fixtureServer({ extra: MANY * 100 }).server.connect(theirs)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(ours)
  const { tools } = toolsOf({ weather: { client } })
  const warnings = await listenerWarnings(async () => {
    const [listing] = await tools.listings(declaring('weather'), context())
    expect(listing?.tools?.length).toBeGreaterThan(MANY * 100)
  })
  expect(warnings).toEqual([])
})
