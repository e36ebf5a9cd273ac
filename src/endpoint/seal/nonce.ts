import { encodeBase64url } from './base64url.js'

/**
 * Returns 128 random bits as 22 characters, for one response. Store it with a response that may have to be replayed.
 *
 * @example
 * ```ts
 * import { newNonce } from 'harmony-responses/seal'
 *
 * console.log(newNonce().length) // 22
 * ```
 */
export function newNonce(): string {
  return encodeBase64url(crypto.getRandomValues(new Uint8Array(16)))
}
