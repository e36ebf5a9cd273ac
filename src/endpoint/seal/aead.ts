import { gcmsiv } from '@noble/ciphers/aes.js'

/** The length of a key of AES-256. */
export const KEY_BYTES = 32
export const NONCE_BYTES = 12

/** The nonce of {@link digest}, whose messages are empty. */
const NO_NONCE: Readonly<Uint8Array> = new Uint8Array(NONCE_BYTES)
const NOTHING: Readonly<Uint8Array> = new Uint8Array(0)

/**
 * Encrypts a text with AES-256-GCM-SIV (RFC 8452). It is synchronous, like the translator, and a repeated nonce would
 * reveal only whether two texts are equal.
 *
 * @param about - the associated data, which has to be the same on opening
 */
export function encrypt(key: Uint8Array, nonce: Uint8Array, about: readonly string[], text: string): Uint8Array {
  return gcmsiv(key, nonce, bytesOf(about)).encrypt(new TextEncoder().encode(text))
}

/** Decrypts a text; undefined if the key, the nonce or the `about` is not the one that it was encrypted with. */
export function decrypt(
  key: Uint8Array,
  nonce: Uint8Array,
  about: readonly string[],
  bytes: Uint8Array,
): string | undefined {
  try {
    const text = gcmsiv(key, nonce, bytesOf(about)).decrypt(bytes)
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(text)
  } catch {
    return undefined
  }
}

/**
 * Returns 16 bytes that cannot be computed without the key: the tag of an empty text, a pseudorandom function of the
 * associated data.
 */
export function digest(key: Uint8Array, about: readonly string[]): Uint8Array {
  return gcmsiv(key, NO_NONCE, bytesOf(about)).encrypt(NOTHING)
}

/** Serialized as JSON, so that no two lists of strings give the same bytes. */
function bytesOf(about: readonly string[]): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(about))
}
