import { check } from '../errors.js'

/**
 * Without a caller, everybody could open everything.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function checkCaller(method: string, caller: unknown): void {
  const isRight = typeof caller === 'string' && caller !== ''
  check(isRight, `${method}: caller`, 'whose request it is, a non-empty string', caller)
}
