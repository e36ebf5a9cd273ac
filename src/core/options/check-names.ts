import { check } from '../../shared/errors.js'
import { nearest } from './nearest.js'

/**
 * Rejects an unknown name, which would otherwise be ignored silently.
 *
 * @throws HarmonyResponsesError `bad_option`: `usage: expected inputTokens, got "input_tokens"`
 */
export function checkNames(what: string, given: object, known: readonly string[]): void {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || known.includes(name)) continue
    check(false, what, nearest(name, known) ?? 'a known name', name)
  }
}
