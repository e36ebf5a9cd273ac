import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ResponsesServer, serveResponses } from '../../src/endpoint/server/node.js'
import type { ServedEngine } from '../../src/engines/contract/engine-server.js'
import { loadTokenTable } from '../../src/index.js'
import { probe } from '../../src/judge/probe/index.js'
import type { RealServer } from './server.js'

/** The scenarios that a model with a script can play: `model/probed.ts`. */
const SCENARIOS = ['tool-loop', 'parallel-calls', 'strict-bodies', 'long-reasoning', 'resume', 'cancel'] as const

/** What the probe says of a server: of each scenario the verdict, and the rules that are broken. */
async function verdictsOf(url: string): Promise<Record<string, string>> {
  const { results } = await probe({ url, model: 'gpt-oss', only: SCENARIOS, timeout: 300_000 })
  const said: Record<string, string> = {}
  for await (const { scenario, verdict, findings } of results) {
    const rules = new Set(findings.filter(({ severity }) => severity === 'error').map(({ rule }) => rule))
    said[scenario] = [verdict, ...rules].join(', ')
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
      expect(await verdictsOf(ours.url)).toEqual({
        // gpt-oss makes one call in a turn.
        'parallel-calls': 'inconclusive',
        ...{ 'tool-loop': 'pass', 'strict-bodies': 'pass', 'long-reasoning': 'pass', resume: 'pass', cancel: 'pass' },
      })
    })

    test(`the probe finds what ${name}'s own endpoint lacks`, async () => {
      expect(await verdictsOf(server().url)).toEqual({
        'parallel-calls': 'fail, event-shape, event-keys, openai-agents-usage',
        'tool-loop': 'fail, event-shape, event-keys, openai-agents-usage',
        // White space up to the limit, after which the response is completed.
        'strict-bodies': 'fail, event-shape, event-keys, terminal-type-is-status, terminal-items-unchanged',
        'long-reasoning': 'fail, event-shape, terminal-items-unchanged, openai-agents-usage',
        resume: 'fail, event-shape, terminal-items-unchanged',
        // It stores nothing, unless an environment variable says so.
        cancel: 'unsupported',
      })
    })
  })
}
