import { check } from '../../shared/errors.js'

const REASONS: readonly unknown[] = ['stop', 'max_output_tokens', 'content_filter']

/**
 * Checks an end reason. A common mistake is the engines' `length`, which is `max_output_tokens` here.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function checkReason(reason: unknown): void {
  check(reason === undefined || REASONS.includes(reason), 'reason', `one of ${REASONS.join(', ')}`, reason)
}
