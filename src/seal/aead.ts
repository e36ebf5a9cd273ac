import { gcmsiv } from '@noble/ciphers/aes.js'

/** Of AES-256. */
export const KEY_BYTES = 32
export const NONCE_BYTES = 12

/** The nonce of {@link digest}, whose messages are empty. */
const NO_NONCE: Readonly<Uint8Array> = new Uint8Array(NONCE_BYTES)
const NOTHING: Readonly<Uint8Array> = new Uint8Array(0)

/**
 * AES-256-GCM-SIV (RFC 8452) of a text. It is synchronous, as the translator is, and a repeated nonce would reveal only
 * whether two texts are the same.
 *
 * @param about - what has to be the same when it is opened
 */
export function encrypt(key: Uint8Array, nonce: Uint8Array, about: readonly string[], text: string): Uint8Array {
  return gcmsiv(key, nonce, bytesOf(about)).encrypt(new TextEncoder().encode(text))
}

/** The text; undefined if these are not the key, the nonce or the `about` that it was encrypted with. */
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
 * 16 bytes that cannot be computed without the key: the tag of an empty text, which is a pseudorandom function of what
 * it is about.
 */
export function digest(key: Uint8Array, about: readonly string[]): Uint8Array {
  return gcmsiv(key, NO_NONCE, bytesOf(about)).encrypt(NOTHING)
}

/** As JSON, no two lists of strings are the same bytes, whatever the strings contain. */
function bytesOf(about: readonly string[]): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(about))
}
