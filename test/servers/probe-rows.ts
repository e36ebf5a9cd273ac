import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ResponsesServer, serveResponses } from '../../src/endpoint/server/node.js'
import type { ServedEngine } from '../../src/engines/contract/engine-server.js'
import { loadTokenTable } from '../../src/index.js'
import { probe } from '../../src/judge/probe/index.js'
import type { RealServer } from './server.js'

/** The scenarios that a model with a script can play: `model/probed.ts`. */
const SCENARIOS = ['tool-loop', 'parallel-calls', 'strict-bodies', 'long-reasoning', 'resume', 'cancel'] as const

/** What the probe says of a server: `SCENARIO: VERDICT, RULES`. */
async function verdictsOf(url: string): Promise<string[]> {
  const { results } = await probe({ url, model: 'gpt-oss', only: SCENARIOS, timeout: 300_000 })
  const said: string[] = []
  for await (const { scenario, verdict, why, findings } of results) {
    const rules = new Set(findings.filter(({ severity }) => severity === 'error').map(({ rule }) => rule))
    said.push(`${scenario}: ${[verdict, ...(why === undefined ? [] : [why]), ...rules].join(', ')}`)
  }
  return said
}

/** Probes a server's own endpoint, and ours in front of it. */
export function probeRows(name: string, server: () => RealServer, engine: () => ServedEngine): void {
  describe(`the probe of ${name}`, () => {
    let ours: ResponsesServer
    beforeAll(async () => {
      ours = await serveResponses({ engine: engine(), tokenTable: await loadTokenTable(), port: 0 })
    })
    afterAll(async () => {
      await ours?.close({ graceMs: 0 })
    })

    test(`the endpoint in front of ${name} passes the probe's tool loop, strict bodies, long reasoning, resume and cancel`, async () => {
      expect(await verdictsOf(ours.url)).toEqual([
        'parallel-calls: inconclusive, the model made 1 of 5 calls that were asked for',
        ...['tool-loop', 'strict-bodies', 'long-reasoning', 'resume', 'cancel'].map((scenario) => `${scenario}: pass`),
      ])
    })

    test(`the probe finds what ${name}'s own endpoint lacks`, async () => {
      expect(await verdictsOf(server().url)).toEqual([])
    })
  })
}
