import { check, HarmonyResponsesError } from '../errors.js'
import { digest } from './aead.js'
import { encodeBase64url } from './base64url.js'
import { badKey, keyBytes, type SealKey } from './keys.js'
import { FORMAT } from './sealed-text.js'

/** More than a host that rotates its keys has: each is tried when content may be of it. */
const MOST_KEYS = 64
const ID_BYTES = 9

/**
 * The keys of {@link createSeal} from one text, as a variable of the environment or a file has them: each 32 random bytes
 * as base64 (`openssl rand -base64 32`), with commas or white space between. The first seals, all open. A key's `id`
 * follows from the key, so that it can move in the list.
 *
 * @throws HarmonyResponsesError `bad_option` if there is no key, one is no key or is there twice, or there are more than
 *   64. Its message says which it is and never contains a key
 */
export function readSealKeys(text: string): SealKey[] {
  check(typeof text === 'string', 'readSealKeys', 'a text of keys', typeof text)
  const words = text.split(/[\s,]+/).filter((word) => word !== '')
  if (words.length === 0) throw badKey('keys', 'at least one', 'none')
  if (words.length > MOST_KEYS) throw badKey('keys', `at most ${MOST_KEYS}`, `${words.length}`)
  const ids = new Set<string>()
  return words.map((word, index) => {
    const key = keyBytes(`key ${index + 1}`, word)
    const id = encodeBase64url(digest(key, [FORMAT, 'id']).subarray(0, ID_BYTES))
    if (ids.has(id)) throw new HarmonyResponsesError('bad_option', `key ${index + 1}: it is there twice`)
    ids.add(id)
    return { id, key }
  })
}
