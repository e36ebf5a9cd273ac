import { check, type ErrorCode } from '../errors.js'

/**
 * So deep may data be that the caller gives: it is copied, written as JSON and compared by functions that call
 * themselves, here and wherever the events go, and what is thousands of levels deep exceeds the stack of some.
 */
const DEEPEST = 500

/**
 * A detached copy of what the caller gave.
 *
 * @throws HarmonyResponsesError `bad_option`, or the given code, where it is not plain data, or too deep
 */
export function plainCopy<Data>(what: string, data: Data, code?: ErrorCode): Data {
  let copy = data
  let isPlain = false
  try {
    copy = structuredClone(data)
    isPlain = isWithin(DEEPEST, copy)
  } catch {}
  check(isPlain, what, `plain JSON data, at most ${DEEPEST} levels deep`, data, code)
  return copy
}

/** Whether data has at most so many levels of lists and objects. No deeper is it looked into. */
function isWithin(levels: number, data: unknown): boolean {
  if (Object(data) !== data) return typeof data !== 'bigint'
  return levels > 0 && Object.values(data as object).every((part) => isWithin(levels - 1, part))
}
