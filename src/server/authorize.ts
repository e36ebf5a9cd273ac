import { check } from '../errors.js'
import { sha256 } from './service/sha256.js'

/** Returns the owner's name, or undefined to refuse the request. */
export type Authorize = (request: Request) => string | undefined | Promise<string | undefined>

/**
 * Authorizes by the key that OpenAI's clients send as `Authorization: Bearer KEY`.
 *
 * @param keys - the owner of each key. Several keys may have one owner
 * @throws HarmonyResponsesError `bad_option`
 */
export function bearerKeys(keys: Readonly<Record<string, string>>): Authorize {
  const known = Object.entries(Object(keys) as Record<string, string>)
  check(known.length > 0, 'bearerKeys', 'an object of keys and owners', keys)
  for (const [key, owner] of known) {
    check(key.length > 0 && typeof owner === 'string' && owner !== '', 'bearerKeys', 'an owner for each key', owner)
  }
  // Computed at the first request, because digests are promises. Keys are compared by them, and not by Hono's
  // `timingSafeEqual`, which takes two digests for each key: with many keys, a request without one could cost the
  // server much.
  let hashed: Promise<ReadonlyMap<string, string>> | undefined
  return async (request) => {
    hashed ??= Promise.all(known.map(async ([key, owner]) => [await sha256(key), owner] as const)).then(
      (entries) => new Map(entries),
    )
    return (await hashed).get(await sha256(bearerOf(request)))
  }
}

/**
 * Authorizes like {@link bearerKeys}, with only the SHA-256 of each key known to the host: a reader of its
 * configuration cannot send requests.
 *
 * @param owners - the owner of each key, by the SHA-256 of the key's UTF-8 bytes in hexadecimal digits. Keys have to be
 * random: a hash does not protect a word that can be guessed
 * @throws HarmonyResponsesError `bad_option`
 */
export function hashedBearerKeys(owners: Readonly<Record<string, string>>): Authorize {
  const entries = Object.entries(Object(owners) as Record<string, string>)
  const known = new Map(entries.map(([hash, owner]) => [hash.toLowerCase(), owner]))
  check(known.size > 0, 'hashedBearerKeys', 'an object of hashes and owners', owners)
  for (const [hash, owner] of known) {
    check(/^[\da-f]{64}$/.test(hash), 'hashedBearerKeys', 'SHA-256 hashes of 64 hexadecimal digits', hash)
    check(typeof owner === 'string' && owner !== '', 'hashedBearerKeys', 'an owner for each hash', owner)
  }
  // Looking up the hash leaks no timing: an attacker cannot choose keys by the prefix of their hash.
  return async (request) => known.get(await sha256(bearerOf(request)))
}

function bearerOf(request: Request): string {
  const [, given = ''] = /^Bearer +(.+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
  return given
}
