import { sha256 } from '../../shared/system/sha256.js'
import { checkedKeys, flawed, hashFlaw, type KeyTable, keyFlaw } from './check-keys.js'

/** Returns the owner's name, or undefined to refuse the request. */
export type Authorize = (request: Request) => string | undefined | Promise<string | undefined>

/**
 * Authorizes by the key that OpenAI's clients send as `Authorization: Bearer KEY`.
 *
 * @param keys - the owner of each key. A key has at least 16 characters of printable ASCII. Several keys may have one
 * owner
 * @throws HarmonyResponsesError `bad_option`: a table or a key that would let in a stranger, or nobody. The message
 * shows neither keys nor owners
 *
 * @example
 * ```ts
 * import { loadTokenTable } from 'harmony-responses'
 * import { bearerKeys, createResponsesApp } from 'harmony-responses/server'
 * import { answer, scriptedEngine } from 'harmony-responses/testing'
 *
 * const { fetch } = createResponsesApp({
 *   engine: scriptedEngine(() => answer('Hi!')),
 *   tokenTable: await loadTokenTable(),
 *   authorize: bearerKeys({ 'sk-4f1c9a02e7b35d68': 'alice' }),
 * })
 * const response = await fetch(new Request('http://localhost/v1/models'))
 * console.log(response.status) // 401
 * ```
 */
export function bearerKeys(keys: KeyTable): Authorize {
  const known = checkedKeys('bearerKeys', keys, keyFlaw)
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
 * @param owners - the owner of each key, by the SHA-256 of the key's UTF-8 bytes in hexadecimal digits of either case.
 * Keys have to be random: a hash does not protect a word that can be guessed
 * @throws HarmonyResponsesError `bad_option`: a table without entries, what is no SHA-256 or that of no key, a hash
 * that comes twice, or an owner without a name
 *
 * @example
 * ```ts
 * import { createHash } from 'node:crypto'
 * import { hashedBearerKeys } from 'harmony-responses/server'
 *
 * const hash = createHash('sha256').update('sk-4f1c9a02e7b35d68').digest('hex') // once, where the key is made
 * const authorize = hashedBearerKeys({ [hash]: 'alice' })
 * ```
 */
export function hashedBearerKeys(owners: KeyTable): Authorize {
  const entries = checkedKeys('hashedBearerKeys', owners, hashFlaw)
  const known = new Map(entries.map(([hash, owner]) => [hash.toLowerCase(), owner]))
  if (known.size < entries.length) {
    throw flawed('hashedBearerKeys', 'expected each hash once, got one in digits of both cases')
  }
  // Looking up the hash leaks no timing: an attacker cannot choose keys by the prefix of their hash.
  return async (request) => known.get(await sha256(bearerOf(request)))
}

function bearerOf(request: Request): string {
  const [, given = ''] = /^Bearer +(.+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
  return given
}
