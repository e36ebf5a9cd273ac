import { check } from '../errors.js'
import { nearest } from './nearest.js'

/**
 * Refuses a name that means nothing: it would be ignored in silence.
 *
 * @throws HarmonyResponsesError `bad_option`: `usage: expected inputTokens, got "input_tokens"`
 */
export function checkNames(what: string, given: object, known: readonly string[]): void {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || known.includes(name)) continue
    check(false, what, nearest(name, known) ?? 'a known name', name)
  }
}
