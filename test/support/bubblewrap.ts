import { spawnSync } from 'node:child_process'
import { TOO_SHORT } from './runs.js'
import { describeUnless } from './slow-suites.js'

/** Whether tests fail, instead of being skipped, where bubblewrap runs no Python: in CI. */
const IS_REQUIRED = process.env['PYTHON_REQUIRED'] === '1'

/** Why bubblewrap runs no Python here; undefined if it does, or has to. */
export const NO_BUBBLEWRAP: string | undefined = IS_REQUIRED ? undefined : obstacle()

function obstacle(): string | undefined {
  const { status, error } = spawnSync('bwrap', '--unshare-all --ro-bind / / /usr/bin/python3 -c 1'.split(' '))
  if (error !== undefined) return 'bwrap is not installed'
  return status === 0 ? undefined : 'bwrap with /usr/bin/python3 does not work here'
}

/** Describes tests within bubblewrap, which run in CI, and where runs are as long. */
export function describeWithBubblewrap(name: string, suite: () => void): void {
  describeUnless(IS_REQUIRED ? undefined : (TOO_SHORT ?? (NO_BUBBLEWRAP && `skipped: ${NO_BUBBLEWRAP}`)), name, suite)
}
