import { afterEach } from 'vitest'
import { type ProbeOptions, probe, type ScenarioResult } from '../../src/probe/index.js'
import type { Habit } from './model.js'
import { type Faults, startServer, type TestServer } from './server.js'

const servers: TestServer[] = []

/** Closes what a test started. */
export function closeServers(): void {
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()))
  })
}

export async function serve(faults: Faults = {}, habits: readonly Habit[] = []): Promise<TestServer> {
  const server = await startServer(faults, habits)
  servers.push(server)
  return server
}

/** Short enough for a server that hangs, long enough for any other. */
export const TIMEOUT = 250

/** Everything that a probe says of a server, by scenario. */
export async function probed(url: string, options: Partial<ProbeOptions> = {}): Promise<Map<string, ScenarioResult>> {
  const { results } = await probe({ url, timeout: 20_000, ...options })
  const found = new Map<string, ScenarioResult>()
  for await (const result of results) found.set(result.scenario, result)
  return found
}

/** The rules of a scenario's findings. */
export const rulesOf = (result: ScenarioResult | undefined): string[] => result?.findings.map(({ rule }) => rule) ?? []

/** The scenarios that fail. */
export const failing = (results: ReadonlyMap<string, ScenarioResult>): string[] =>
  [...results.values()].filter(({ verdict }) => verdict === 'fail').map(({ scenario }) => scenario)
