import { describe } from 'vitest'
import { TOO_SHORT } from './runs.js'

/** Describes tests, or skips them and says why in their name. */
export function describeUnless(reason: string | undefined, name: string, tests: () => void): void {
  describe.skipIf(reason !== undefined)(reason === undefined ? name : `${name} (${reason})`, tests)
}

/** Describes tests that take seconds and guard what seldom changes: they run in CI, and wherever else runs are as long. */
export function describeSlow(name: string, tests: () => void): void {
  describeUnless(TOO_SHORT, name, tests)
}
