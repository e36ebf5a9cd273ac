import { check } from '../errors.js'
import { timingSafeEqual } from './timing-safe-equal.js'

/** Whose request it is: the owner's name, or undefined if it may not be served. */
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
  return (request) => {
    const [, given = ''] = /^Bearer +(.+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
    let owner: string | undefined
    // All are compared, so that the time says nothing about which one it was.
    for (const [key, name] of known) if (timingSafeEqual(given, key)) owner = name
    return owner
  }
}
