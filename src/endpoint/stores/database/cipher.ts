import { gcmsiv } from '@noble/ciphers/aes.js'
import { randomBytes } from '@noble/ciphers/utils.js'
import { check } from '../../../shared/errors.js'

/** Encrypts content at rest. */
export interface ContentCipher {
  /** @param place - the place of the content, to which it is bound */
  encrypt(content: Uint8Array, place: string): Uint8Array
  /** @throws if the content was changed or moved, or was encrypted with an unknown key */
  decrypt(content: Uint8Array, place: string): Uint8Array
}

const NONCE = 12

/**
 * Creates a cipher with AES-256-GCM-SIV. Ids, owners, times and sizes are not content, and are not encrypted.
 *
 * @param keys - of 32 bytes each. The first encrypts; all of them decrypt, so that a new one can be prepended
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { createContentCipher } from 'harmony-responses/stores/sqlite'
 *
 * const key = crypto.getRandomValues(new Uint8Array(32)) // keep it: without it, the content is lost
 * const cipher = createContentCipher([key]) // for createSqliteStore({ file, cipher })
 * ```
 */
export function createContentCipher(keys: readonly Uint8Array[]): ContentCipher {
  check(Array.isArray(keys) && keys.length > 0, 'createContentCipher', 'at least one key', keys)
  for (const key of keys) check(key instanceof Uint8Array && key.length === 32, 'keys', 'keys of 32 bytes', key)
  // biome-ignore lint/plugin: The caller has checked that there is a key.
  const [first] = keys as unknown as readonly [Uint8Array]
  const bytesOf = (place: string): Uint8Array => new TextEncoder().encode(place)
  return {
    encrypt(content, place) {
      const nonce = randomBytes(NONCE)
      const sealed = gcmsiv(first, nonce, bytesOf(place)).encrypt(content)
      const whole = new Uint8Array(NONCE + sealed.length)
      whole.set(nonce)
      whole.set(sealed, NONCE)
      return whole
    },
    decrypt(content, place) {
      const [nonce, sealed] = [content.subarray(0, NONCE), content.subarray(NONCE)]
      let failure: unknown
      for (const key of keys) {
        try {
          return gcmsiv(key, nonce, bytesOf(place)).decrypt(sealed)
        } catch (error) {
          failure = error
        }
      }
      throw new Error(`content of ${place} does not open`, { cause: failure })
    },
  }
}
