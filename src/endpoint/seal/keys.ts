import { describe, HarmonyResponsesError } from '../../shared/errors.js'
import { isFields } from '../../shared/fields.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { digest, KEY_BYTES } from './aead.js'
import { decodeBase64url, encodeBase64url } from './base64url.js'
import { FORMAT } from './sealed-text.js'

/** A sealing key, which only the server knows. */
export interface SealKey {
  /** Its name among the keys: `2026-11`. Sealed content does not show it. */
  readonly id: string
  /** 32 random bytes, or their base64 (`openssl rand -base64 32`). */
  readonly key: Uint8Array | string
}

/** A checked key. */
export interface Key {
  readonly id: string
  readonly bytes: Uint8Array
  /** The key's public id, eight characters that do not reveal the key. Every seal begins with it. */
  readonly tag: string
}

const TAG_BYTES = 6

/** Not the checks of `options/checks.js`, whose messages quote values. */
const SEAL_KEY: OptionTable<SealKey> = {
  key: (value, path) => void keyBytes(path, value),
  id(value, path) {
    if (typeof value !== 'string' || value === '') throw badKey(path, 'a non-empty string', kindOf(value))
  },
}

/** An unexpected name that is longer than this may be a key, and is not quoted. */
const MAX_NAME_LENGTH = 20

/**
 * @throws HarmonyResponsesError `bad_option`. Its message never quotes a value that may be a key
 */
export function readKeys(keys: unknown): readonly Key[] {
  if (!Array.isArray(keys) || keys.length === 0) throw badKey('keys', 'an array of { id, key }', kindOf(keys))
  const ids = new Set<string>()
  return keys.map((given: unknown, index) => {
    const path = `keys[${index}]`
    checkKey(given, path)
    const { id, key } = given
    const bytes = keyBytes(`${path}.key`, key)
    if (ids.has(id)) throw badKey(`${path}.id`, 'an id of its own', describe(id))
    ids.add(id)
    return { id, bytes, tag: encodeBase64url(digest(bytes, [FORMAT, 'key', id]).subarray(0, TAG_BYTES)) }
  })
}

function checkKey(given: unknown, path: string): asserts given is SealKey {
  const isObject = isFields(given)
  if (!isObject) throw badKey(path, '{ id, key }', kindOf(given))
  const isQuotable = Object.keys(given).every((name) => name.length <= MAX_NAME_LENGTH)
  if (!isQuotable) throw badKey(path, '{ id, key }', 'another name')
  checkOptions('createSeal', given, SEAL_KEY, ['key', 'id'], path)
}

/**
 * Returns a copy, so that the caller may wipe the original.
 *
 * @throws HarmonyResponsesError `bad_option`, without the key
 */
export function keyBytes(what: string, key: unknown): Uint8Array {
  const expected = '32 bytes or their base64'
  const isBytes = key instanceof Uint8Array
  if (!isBytes && typeof key !== 'string') throw badKey(what, expected, kindOf(key))
  const bytes = isBytes ? Uint8Array.from(key) : fromBase64(key)
  if (bytes === undefined) throw badKey(what, expected, 'a string that is not base64')
  if (bytes.length !== KEY_BYTES) throw badKey(what, expected, `${bytes.length} bytes`)
  return bytes
}

/** Decodes base64 of either alphabet, padded or not. */
function fromBase64(text: string): Uint8Array | undefined {
  return decodeBase64url(
    text
      .trim()
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replace(/={0,2}$/, ''),
  )
}

export function badKey(what: string, expected: string, got: string): HarmonyResponsesError {
  return new HarmonyResponsesError('bad_option', `${what}: expected ${expected}, got ${got}`)
}

/** Describes a value without its content. */
function kindOf(value: unknown): string {
  return /^(string|number|bigint|symbol)$/.test(typeof value) ? `a ${typeof value}` : describe(value)
}
