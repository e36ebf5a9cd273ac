import { check, HarmonyResponsesError } from '../../shared/errors.js'
import { digest } from './aead.js'
import { encodeBase64url } from './base64url.js'
import { badKey, keyBytes, type SealKey } from './keys.js'
import { FORMAT } from './sealed-text.js'

/**
 * The maximum number of keys, each of which is tried on content that it may have sealed. No host that rotates keys
 * needs more.
 */
const MAX_KEYS = 64
const ID_BYTES = 9

/**
 * Parses the keys of {@link createSeal} from one text, such as an environment variable or a file: each 32 random bytes
 * as base64 (`openssl rand -base64 32`), with commas or white space between. The first seals, all open. A key's `id` is
 * derived from the key, so that it can move in the list.
 *
 * @throws HarmonyResponsesError `bad_option` if there is no key, a key is invalid or listed twice, or there are more
 * than
 *   64. Its message gives the position and never contains a key
 *
 * @example
 * ```ts
 * import { createSeal, parseSealKeys } from 'harmony-responses/seal'
 *
 * const seal = createSeal(parseSealKeys(sealKey)) // such as the text of an environment variable
 * ```
 */
export function parseSealKeys(text: string): SealKey[] {
  check(typeof text === 'string', 'parseSealKeys', 'a text of keys', typeof text)
  const words = text.split(/[\s,]+/).filter((word) => word !== '')
  if (words.length === 0) throw badKey('keys', 'at least one', 'none')
  if (words.length > MAX_KEYS) throw badKey('keys', `at most ${MAX_KEYS}`, `${words.length}`)
  const ids = new Set<string>()
  return words.map((word, index) => {
    const key = keyBytes(`key ${index + 1}`, word)
    const id = encodeBase64url(digest(key, [FORMAT, 'id']).subarray(0, ID_BYTES))
    if (ids.has(id)) throw new HarmonyResponsesError('bad_option', `key ${index + 1}: it is listed twice`)
    ids.add(id)
    return { id, key }
  })
}
