import { check } from '../errors.js'

/**
 * What a callback of the host's has to give at once. A promise would be told as an empty object, and end the process
 * where it rejects.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function textFrom(callback: string, given: unknown): string {
  if ('then' in Object(given)) Promise.resolve(given).catch(() => {})
  check(typeof given === 'string', callback, 'a string, at once', given)
  return given
}
