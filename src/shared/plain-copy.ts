import { check, type ErrorCode } from './errors.js'

/**
 * The maximum nesting of the caller's data. Recursive functions copy, serialize and compare it, here and in clients,
 * and some overflow the stack at thousands of levels.
 */
const MAX_DEPTH = 500

/**
 * Returns a detached copy of the caller's data.
 *
 * @throws HarmonyResponsesError `bad_option`, or the given code, if it is not plain data or nested too deeply
 */
export function plainCopy<Data>(what: string, data: Data, code?: ErrorCode): Data {
  let copy = data
  let isPlain = false
  try {
    copy = structuredClone(data)
    isPlain = isWithin(MAX_DEPTH, copy)
  } catch {}
  check(isPlain, what, `plain JSON data, at most ${MAX_DEPTH} levels deep`, data, code)
  return copy
}

/** Whether data has at most this many levels of lists and objects. Stops at the first deeper one. */
function isWithin(levels: number, data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return typeof data !== 'bigint'
  return levels > 0 && Object.values(data).every((part) => isWithin(levels - 1, part))
}
