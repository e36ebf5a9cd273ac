import { encodeBase64url } from './base64url.js'

/**
 * Returns 128 random bits as 22 characters, for one response. Store it with a response that may have to be replayed.
 *
 * @example
 * ```ts
 * import { createNonce } from 'harmony-responses/seal'
 *
 * console.log(createNonce().length) // 22
 * ```
 */
export function createNonce(): string {
  return encodeBase64url(crypto.getRandomValues(new Uint8Array(16)))
}
