import { check } from '../../shared/errors.js'

/**
 * Reads Unix time in whole seconds.
 *
 * @throws HarmonyResponsesError `bad_option` if the clock returns anything else
 */
export function readClock(clock: () => number): number {
  const now = clock()
  // A clock in milliseconds exceeds this limit, which is the year 5138 in seconds.
  check(Number.isFinite(now) && Math.abs(now) < 1e11, 'clock', 'unix time in seconds', now)
  return Math.floor(now)
}
