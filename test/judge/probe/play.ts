import { afterEach } from 'vitest'
import { type ProbeOptions, probe, type ScenarioResult } from '../../../src/judge/probe/index.js'
import type { Timer } from '../../../src/judge/probe/send.js'
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

/**
 * Counts turns of the event loop for milliseconds. The servers of these tests run in the same loop: one from which so
 * many turns brought nothing hangs, however slow the machine is.
 */
export const inTurns: Timer = (milliseconds, elapsed) => {
  let left = milliseconds
  const turn = (): void => {
    left--
    if (left <= 0) elapsed()
    else handle = setImmediate(turn)
  }
  let handle = setImmediate(turn)
  return () => clearImmediate(handle)
}

/** For servers that hang. */
export const IMPATIENT: Pick<ProbeOptions, 'timeout' | 'timer'> = { timeout: 2000, timer: inTurns }

/** Everything that a probe reports about a server, by scenario. */
export async function probed(url: string, options: Partial<ProbeOptions> = {}): Promise<Map<string, ScenarioResult>> {
  const { results } = await probe({ url, ...options })
  const found = new Map<string, ScenarioResult>()
  for await (const result of results) found.set(result.scenario, result)
  return found
}

/** The rules of a scenario's findings. */
export const rulesOf = (result: ScenarioResult | undefined): string[] => result?.findings.map(({ rule }) => rule) ?? []

/** The scenarios that fail. */
export const failing = (results: ReadonlyMap<string, ScenarioResult>): string[] =>
  [...results.values()].filter(({ verdict }) => verdict === 'fail').map(({ scenario }) => scenario)
