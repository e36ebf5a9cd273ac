import { spawnSync } from 'node:child_process'

/** Why bubblewrap runs no Python here; undefined if it does. With PYTHON_REQUIRED, as in CI, tests fail instead of skipping. */
export const NO_BUBBLEWRAP: string | undefined = obstacle()

function obstacle(): string | undefined {
  if (process.env['PYTHON_REQUIRED'] === '1') return undefined
  const { status, error } = spawnSync('bwrap', '--unshare-all --ro-bind / / /usr/bin/python3 -c 1'.split(' '))
  if (error !== undefined) return 'bwrap is not installed'
  return status === 0 ? undefined : 'bwrap with /usr/bin/python3 does not work here'
}

/** The end of the title of what needs it. */
export const SKIPPED: string = NO_BUBBLEWRAP === undefined ? '' : ` (skipped: ${NO_BUBBLEWRAP})`
