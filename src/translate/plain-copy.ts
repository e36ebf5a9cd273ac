import { check } from '../errors.js'

/**
 * A detached copy of what the caller gave.
 *
 * @throws HarmonyResponsesError `bad_option` where it is not plain data
 */
export function plainCopy<Data>(what: string, data: Data): Data {
  try {
    return structuredClone(data)
  } catch {
    throw check(false, what, 'plain JSON data', data)
  }
}
