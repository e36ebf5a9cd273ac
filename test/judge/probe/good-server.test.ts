import { expect, test } from 'vitest'
import { SCENARIOS } from '../../../src/judge/probe/index.js'
import { closeServers, probed, serve } from './play.js'

closeServers()

test('a good server passes every scenario, without a finding and without a note', async () => {
  const server = await serve()
  const results = await probed(server.url)
  expect(
    [...results.values()].map(({ scenario, verdict, findings, notes }) => [scenario, verdict, findings, notes]),
  ).toEqual(SCENARIOS.map(({ name }) => [name, 'pass', [], []]))
})
