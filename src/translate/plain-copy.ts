import { check, type ErrorCode } from '../errors.js'

/**
 * How deeply the caller's data may be nested. It is copied, serialized and compared by recursive functions, here and in
 * clients, some of which overflow the stack at thousands of levels.
 */
const DEEPEST = 500

/**
 * A detached copy of the caller's data.
 *
 * @throws HarmonyResponsesError `bad_option`, or the given code, if it is not plain data or nested too deeply
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

/** Whether data has at most this many levels of lists and objects. Stops at the first deeper one. */
function isWithin(levels: number, data: unknown): boolean {
  if (Object(data) !== data) return typeof data !== 'bigint'
  return levels > 0 && Object.values(data as object).every((part) => isWithin(levels - 1, part))
}
