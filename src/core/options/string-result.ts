import { check } from '../../shared/errors.js'

/**
 * Checks that a host's callback returned a string synchronously. Without this check a promise would be sent as `{}`,
 * and its rejection would end the process.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function stringResult(callback: string, given: unknown): string {
  if ('then' in Object(given)) Promise.resolve(given).catch(() => {})
  check(typeof given === 'string', callback, 'a string, not a promise', given)
  return given
}
