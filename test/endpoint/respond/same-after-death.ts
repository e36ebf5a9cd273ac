import { expect } from 'vitest'
import type { TokenEngine } from '../../../src/engines/contract/engine.js'
import { dyingEngine } from '../../support/dying-engine.js'
import type { Run, RunOptions } from './scripted.js'

/** Runs the response of a test on an engine, with more options. */
export type RunOn = (engine: TokenEngine, options: RunOptions) => Promise<Run>

/** What a response that survives the death of its engine is given: nothing to wait for, and errors that are expected. */
export const SURVIVING: RunOptions = { delay: async () => {}, onError: () => {}, onDiagnostic: () => {} }

/**
 * Checks that a response is the same if its engine dies once, after so many of its steps, modulo their number.
 *
 * @param engine - makes the same engine each time
 * @param after - default: after each of them
 */
export async function expectSameAfterDeath(engine: () => TokenEngine, run: RunOn, after?: number): Promise<void> {
  const healthy = dyingEngine(engine())
  const whole = await run(healthy, SURVIVING)
  const places = Array.from({ length: healthy.steps }, (_, at) => at + 1)
  const chosen = after === undefined ? places : places.slice(after % places.length).slice(0, 1)
  for (const place of chosen) {
    const dying = dyingEngine(engine(), [place])
    const survived = await run(dying, SURVIVING)
    // After the last step, the call may be closed before it is asked for another.
    if (place < healthy.steps) expect(dying.deaths).toBe(1)
    expect(survived.events).toEqual(whole.events)
    expect(survived.transcript).toEqual(whole.transcript)
  }
}
