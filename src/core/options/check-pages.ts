import { check, type ErrorCode } from '../../shared/errors.js'
import type { CitedPage } from '../responses/call-result.js'
import { checkList } from './check-list.js'

/** Checks an optional list of pages. @throws HarmonyResponsesError with the given code, default `bad_option` */
export function checkPages(pages: unknown, what: string, code?: ErrorCode): void {
  checkList(what, pages, ['url'], code)
  for (const { cursor, text } of (pages ?? []) as Partial<CitedPage>[]) {
    check(Number.isInteger(cursor), what, 'an integer cursor', cursor, code)
    check(text === undefined || typeof text === 'string', what, 'a text', text, code)
  }
}
