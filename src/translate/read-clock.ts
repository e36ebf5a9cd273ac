import { check } from '../errors.js'

/**
 * Unix time in whole seconds.
 *
 * @throws HarmonyResponsesError `bad_option` if the clock gives no such time
 */
export function readClock(clock: () => number): number {
  const now = clock()
  // In milliseconds it would be the year 5138 or later.
  check(Number.isFinite(now) && Math.abs(now) < 1e11, 'clock', 'unix time in seconds', now)
  return Math.floor(now)
}
