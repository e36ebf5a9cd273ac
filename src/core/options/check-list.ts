import { check, type ErrorCode } from '../../shared/errors.js'

/** Checks a list in a result. @throws HarmonyResponsesError `bad_result` */
export type ListCheck = (list: unknown, what: string) => void

/** Creates a check of a list whose entries need these string fields. */
export function listOf(...strings: readonly string[]): ListCheck {
  return (list, what) => checkList(what, list, strings, 'bad_result')
}

/**
 * Checks an optional list: every entry needs these string fields.
 *
 * @throws HarmonyResponsesError with the given code, default `bad_option`
 */
export function checkList(what: string, list: unknown, strings: readonly string[], code?: ErrorCode): void {
  if (list === undefined) return
  check(Array.isArray(list), what, 'an array', list, code)
  for (const [index, entry] of list.entries()) {
    for (const field of strings) {
      const value: unknown = Object(entry)[field]
      check(typeof value === 'string', `${what}[${index}].${field}`, 'a string', value, code)
    }
  }
}
