import { expect, test } from 'vitest'
import { listenerWarnings } from '../../support/listener-warnings.js'
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
